"""One `datasets` builder per suite: VERSION, configs, Features, splits. The linguistics is in `builders`."""
