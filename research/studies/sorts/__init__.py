"""The studies of SORTS."""
