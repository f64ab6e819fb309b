"""The laboratory: how the figures were made. It imports the product and is never imported by it."""
