"""Tests of the running collector."""
