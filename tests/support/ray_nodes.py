"""Clusters of Ray on the loopback, for tests of work that moves between nodes."""

from collections.abc import Callable
from typing import Any

from research.engine.ray_engine import RAY_STARTS

STORE_MEMORY = 100 * 2**20  # bytes of a node's object store


def begun_cluster(begin: Callable[[], Any]) -> Any:
    """A cluster, tried again where a busy machine was too slow for Ray's own limit."""
    for left in reversed(range(RAY_STARTS)):
        try:
            return begin()
        except Exception as error:
            if left == 0 or "timed out during startup" not in str(error):
                raise
    return None
