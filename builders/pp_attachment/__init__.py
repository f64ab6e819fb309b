"""PP attachment: German clauses whose prepositional phrase belongs to the verb or to a noun.

`frames` reads the tables, `realizer` builds what a frame's cells name, puts the parts of a
clause in order and makes the tree, `items` makes the pairs of an item, `draw` draws and lists
all rows, `readings` proves from a row alone what the phrase can belong to, `validity` compares the
two. Words inflect by `builders.sorts`. A change of tables or code that changes a row changes
VERSION, which the config then names; DRAW, the VERSION that all other rows came with, is part of
every draw.

Source: Fischer, de Kok & Hinrichs (2020), section 8, which promises the subset; de Kok, Ma,
Dima & Hinrichs (2017), for candidates beyond two and topological fields.
"""

VERSION = "4.1.0"
DRAW = "4.0.0"
