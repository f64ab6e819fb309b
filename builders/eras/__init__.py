"""ERAS: 39 paradigms of Chinese morphological garden paths, their words and draw (Li & Hao 2025).

`paradigms` reads the templates and what is said of them, `words` the lists that fill them, `draw`
combines them, `assembly` makes the columns in either script, `validity` checks every row.
A change of tables or code that changes a row, or the order of rows, changes VERSION. Which fillers
meet is decided by DRAW, which only another draw changes. The extended configs have rows and a
version of their own, which leave the published draw as it is.
"""

VERSION = "2.1.0"
SINCE = "2.0.0"  # of all rows but those of strings with two readings
DRAW = "1.1.0"
EXTENDED_VERSION = "3.0.0"
