"""The studies of CenterBench."""
