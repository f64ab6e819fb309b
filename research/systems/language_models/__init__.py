"""Language models of the studies."""
