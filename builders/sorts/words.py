"""One word of a phrase, as the realizer puts it into a tree."""

from typing import NamedTuple

HEAD = -1
NUMBER_VALUES = {"singular": "Sing", "plural": "Plur"}


class PhraseWord(NamedTuple):
    """One word of a phrase; `head` is a place in the phrase, `HEAD` for the phrase's head."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    deprel: str
