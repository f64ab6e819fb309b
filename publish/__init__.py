"""What `push.py` does: build the suites, render the cards, stage the metrics, check the result, install it, publish it."""
