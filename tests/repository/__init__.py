"""Tests of the repository itself: its structure, its documents, and what Home Assistant and HACS require."""
