"""The studies of ERAS."""
