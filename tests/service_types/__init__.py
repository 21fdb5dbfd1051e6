"""Tests of the services that owners can sign up for today."""
