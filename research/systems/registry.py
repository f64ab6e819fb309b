"""The systems of the laboratory: those that a user can name, and those that a figure needs.

cut-nowhere            a null system of `nulls.py`
trained:..., crf:...   what is trained here; see `KINDs/loaders.py`
"""

from garden_path.models.registry import Registry
from research.systems.nulls import null_functions

LABORATORY = Registry("garden_path.models", "research.systems", nulls=null_functions)
kinds = LABORATORY.kinds
load = LABORATORY.load
known = LABORATORY.known
settings_of = LABORATORY.settings_of
