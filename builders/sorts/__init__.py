"""SORTS: German clauses in which word order, case, animacy or meaning mislead a parser about subject and object (Fischer et al. 2020).

Generated edition: `lexicon` reads the tables, `morphology` inflects, `phrases` builds noun phrases,
`variations` changes an item by its properties, `placement` orders its words, `realizer` makes the
tree, `readings` proves who can be subject, `suite` draws and lists all rows. Authors' edition:
`released` converts their files. VERSION is part of every draw: a change of tables or code that
changes a row changes it.
"""

VERSION = "1.0.0"
