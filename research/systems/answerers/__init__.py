"""Answerers of the studies."""
