"""The linguistics: tables in, plain columns out. Nothing here imports the Hub's libraries.

Each suite is a package with its tables in `data/` and its engine in modules named after the field's
terms.
"""
