"""Forms for people: which there are, their pages, the Space that collects answers."""
