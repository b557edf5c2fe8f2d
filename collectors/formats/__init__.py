"""Readers, one module a format; each is a `collectors.Format`."""
