"""One `datasets` builder per suite: configs, Features, splits. The linguistics is in `builders`."""
