"""Parsers and cue readers of the studies."""
