"""Predictions from files: what a user hands in, as a list aligned with the rows of a suite.

`files` reads any file into records and finds each row's record by id, by text or by order;
`predictions` and `morphemes` have one function per kind of prediction. Each returns values, None
for a row without a prediction, and a report.
"""
