"""ERAS: 39 paradigms of Chinese morphological garden paths, their words and draw (Li & Hao 2025).

What changes a row, or the order of rows, changes VERSION. Which fillers meet is decided by DRAW,
which only another draw changes. The extended configs have rows and a version of their own.
"""

VERSION = "2.1.0"
SINCE = "2.0.0"  # of all rows but those of strings with two readings
DRAW = "1.1.0"
EXTENDED_VERSION = "3.0.0"
