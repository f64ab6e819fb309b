"""Clusters of Ray on the loopback, for tests of work that moves between nodes."""

import contextlib
from collections.abc import Callable, Iterator
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


@contextlib.contextmanager
def two_nodes() -> Iterator[tuple[Any, Any]]:
    """A Ray cluster on the loopback of two nodes of one core each, and the second of them."""
    from ray.cluster_utils import Cluster

    settings = {"num_cpus": 1, "object_store_memory": STORE_MEMORY}
    head = {**settings, "include_dashboard": False}
    made = begun_cluster(lambda: Cluster(initialize_head=True, head_node_args=head))
    try:
        yield made, made.add_node(**settings)
    finally:
        made.shutdown()
