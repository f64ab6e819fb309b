"""Simulated studies whose truth is known, by which the metrics' own statements are checked."""
