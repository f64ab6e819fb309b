"""What `push.py` does.

`build` makes the folders of `hub/`, `check` judges them, `hub` brings them out, `form` asks people;
`page` is the page of every metric.
"""
