"""Word segmenters of the studies."""
