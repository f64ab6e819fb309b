"""Adapters that produce predictions: each wraps somebody's model or program behind one small function. Heavy imports are lazy."""
