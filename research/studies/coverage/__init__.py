"""How often the intervals of the metrics hold the true value, in worlds where it is known."""
