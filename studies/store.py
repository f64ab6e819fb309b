"""The store's former place."""

from builders.store import Store, make_key

__all__ = ["Store", "make_key"]
