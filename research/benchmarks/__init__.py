"""Speed against peers, as ratios of one run: `python -m research.benchmarks`.

A benchmark is a module with a function `run(share)`, which does a share of the full work and gives
its goals. What it needs and cannot find is a library that cannot be imported.
"""
