"""Says what of a built folder is not as it should be: by itself, by the Hub, in a fresh process."""
