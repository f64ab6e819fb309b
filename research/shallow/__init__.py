"""Shallow readers: the search for the best reader that does not do a suite's task."""
