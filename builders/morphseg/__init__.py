"""Morphological segmentation: word lists of 11 languages and an invented one, and the plan that draws data sets from them.

After Liu & Prud'hommeaux, "Data-driven Model Generalizability in Crosslinguistic Low-resource
Morphological Segmentation", TACL 2022.
"""
