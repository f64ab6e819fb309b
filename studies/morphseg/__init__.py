"""The studies of morphseg."""
