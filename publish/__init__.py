"""What `push.py` does.

Build the suites, render the cards, stage the metrics, check the result, install it, publish it.
"""
