"""Predictions from files: what a user hands in, as a list aligned with the rows of a suite.

`files` reads any file into records, `matching` finds each row's record by id, by text or by order,
`predictions` has one function per kind of prediction; what segmenters write at morphemes the metric
takes off. Each returns values, None for a row without a prediction, and a report.
"""
