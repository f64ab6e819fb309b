"""What a round of raters can detect in the forms of CenterBench: power by simulation.

    python -m studies centerbench power

Source: the designs of `builders/centerbench/forms.py`; nothing was measured on people.
"""

from studies.power import power_study

STUDY = power_study(__name__, __doc__)
