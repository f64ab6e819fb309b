"""Is my winner real? `ranking_generalizability` for a file of scores, from the command line.

Files become a table (`files`, `harness`), the metric's own maths answers, `report` writes. What is
said of a table is the metric's, the same as in `compute(data=...)` and on its page.
"""
