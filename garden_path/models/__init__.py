"""Adapters for the model of a user: one module per kind of system."""
