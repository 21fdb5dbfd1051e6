"""Tests in a browser, with Home Assistant as a separate process."""
