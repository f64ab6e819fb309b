"""Sentiment classifiers of the studies."""
