"""The human half of the studies: forms found, answers read, agreement, the papers' figures, power.

Pure: answers and rows in, numbers out. `push.py form` writes the pages (`publish/form/sheets.py`),
`python -m research people` prints the figures.
"""
