"""Same-run ratios of speed against the goals.

Run by hand, never in a timed test: `python -m benchmarks.<name>`.
"""
