"""Choosers of the studies."""
