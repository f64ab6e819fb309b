"""Memory that was freed goes back to the system."""

import contextlib
import ctypes

import pyarrow as pa

M_MMAP_THRESHOLD = -3  # number of the setting in malloc.h
MAPPED_FROM = 2**16  # bytes of a piece of memory that is given back as soon as it is freed


def give_memory_back(*, is_driver: bool = False) -> None:
    """Has Arrow's memory come from the system, which of all gets it back the soonest.

    Args:
        is_driver: Whether this process hands work to others. Batches of some hundred kilobytes pass
            through it in several threads, and malloc, which raises its limit with each that is
            freed, would keep a heap of them for every thread; a process that computes itself is
            faster with that, so that its malloc is left alone. Without glibc nothing is set.
    """
    pa.set_memory_pool(pa.system_memory_pool())
    if is_driver:
        with contextlib.suppress(AttributeError, TypeError):  # another libc; Windows
            ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, MAPPED_FROM)
