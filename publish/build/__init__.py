"""Makes the folders of `hub/`: rows, cards, staged metrics and their pages, whole or not at all."""
