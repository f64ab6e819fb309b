"""Morphological segmenters of the studies."""
