"""Systems that produce predictions: somebody's model or program behind one batch call.

See `registry` for how one is named; heavy imports are lazy.
"""
