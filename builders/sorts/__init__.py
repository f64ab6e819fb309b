"""SORTS: German clauses in which word order, case, animacy or meaning mislead a parser about subject and object (Fischer et al. 2020)."""
