"""Morphological segmentation: words of 11 languages and invented ones, and the plan of data sets.

`generator` invents languages, `sources` reads the study's, `draw` chooses between them, `sampling`
draws data sets from a pool, `divergent_splits` divides one. A change of tables or code that changes
a row changes VERSION, which the config then names; DRAW, the VERSION that all other rows came with,
is part of every draw.

After Liu & Prud'hommeaux, "Data-driven Model Generalizability in Crosslinguistic Low-resource
Morphological Segmentation", TACL 2022. `scores` is what segmenters were measured to do in that
paper's settings; it grows as they are measured and has a version of its own.
"""

VERSION = "2.1.0"
DRAW = "2.0.0"
SCORES_VERSION = "0.6.0"
