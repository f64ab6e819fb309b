"""SORTS: clauses whose order, case, animacy or meaning misleads about subject and object.

Generated edition: `lexicon` reads a language's tables, `morphology` inflects, `phrases` builds
noun phrases, `variations` changes an item by its properties, `realizer` orders its words and makes
the tree, `readings` proves who can be subject, `resolution` says what settles it,
`draw` draws and lists all rows, `validity` checks them. Authors' edition: `released` converts
their files. A change of tables or code that changes a row changes VERSION, which the config then
names; DRAW, the VERSION that all other rows came with, is part of every draw.

Source: Fischer, de Kok & Hinrichs (2020).
"""

VERSION = "3.2.0"
DRAW = "3.0.0"
