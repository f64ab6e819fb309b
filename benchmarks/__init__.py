"""Same-run ratios of speed against the goals; run by hand, never in a timed test: `python -m benchmarks.<name>`."""
