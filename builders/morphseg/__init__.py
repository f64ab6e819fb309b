"""Morphological segmentation: words of 11 languages and invented ones, and the plan of data sets.

What changes a row changes VERSION, which the config then names; DRAW, the VERSION that all other
rows came with, is part of every draw. `scores` is what segmenters were measured to do in the
settings of the study; it grows as they are measured and has a version of its own.

After Liu & Prud'hommeaux, "Data-driven Model Generalizability in Crosslinguistic Low-resource
Morphological Segmentation", TACL 2022.
"""

VERSION = "2.1.0"
DRAW = "2.0.0"
SCORES_VERSION = "0.6.0"
