"""Prepositional phrases of a user's UD treebanks that have several candidate heads: `natural`.

    Der Mann hat die Frau mit dem Fernglas gesehen .
        ----     ----     ------------ -------      candidates: Mann, Frau, gesehen

A phrase is a noun or pronoun labelled obl or nmod with a preposition before it. Its clause is that
of the nearest verb above it, which must be finite by itself or by an auxiliary; its candidates are
this verb and every noun of the clause that stands before the phrase. Phrases with fewer than two,
and those that hang on something else (an adjective, a noun of another clause), are left out. They
have no pairs, and nothing says what decides them: the gold head is what the annotators took. Built
locally, they are never published.

Source: candidates as in de Kok et al. (2017), "PP Attachment: Where do We Stand?", EACL, section 2,
who take the finite clause; written for this project.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from builders.pp_attachment.columns import NATURAL_SCHEMA
from metrics._shared.treebanks import read_conll

NOUNS = frozenset(("NOUN", "PROPN"))
NOMINALS = NOUNS | {"PRON"}
PHRASES = frozenset(("obl", "nmod"))
# parts of a name or compound, whose first word stands for the whole
PARTS = frozenset(("flat", "compound", "fixed", "goeswith"))
MAIN_CLAUSES = frozenset(("root", "parataxis"))
LEAST_CANDIDATES = 2
CELLS = {"tokens": "form", "lemmas": "lemma", "upos": "upos", "xpos": "xpos", "feats": "feats"}


@dataclass(frozen=True)
class TreebankSentence:
    """A sentence of a treebank; words are 0-based, the head of the root is -1."""

    id: str
    tokens: Sequence[str]
    lemmas: Sequence[str]
    upos: Sequence[str]
    xpos: Sequence[str]
    feats: Sequence[str]
    deprels: Sequence[str]
    heads: Sequence[int]

    def children(self, word: int) -> list[int]:
        """Words that hang on a word, in their order."""
        return [other for other, head in enumerate(self.heads) if head == word]

    def ancestors(self, word: int) -> Iterator[int]:
        """Head of a word, head of that, and so on up to the root."""
        while (word := self.heads[word]) >= 0:
            yield word

    def relation(self, word: int) -> str:
        """Label without its subtype."""
        return self.deprels[word].split(":")[0]

    def verb_of(self, word: int) -> int | None:
        """The nearest verb above a word; None where there is none."""
        return next((above for above in self.ancestors(word) if self.upos[above] == "VERB"), None)

    def finite_of(self, verb: int) -> int | None:
        """The finite word of a verb's clause: the verb itself or an auxiliary; None without one."""
        words = [verb, *(w for w in self.children(verb) if self.relation(w) == "aux")]
        for word in words:  # by what its treebank has: its form, its mood or its STTS tag
            feats = self.feats[word]
            if "VerbForm=Fin" in feats or "Mood=" in feats or self.xpos[word].endswith("FIN"):
                return word
        return None


@dataclass(frozen=True)
class NaturalPhrase:
    """A phrase with its candidate heads; all words are 0-based."""

    sentence: TreebankSentence
    adposition: int
    pp: int
    verb: int
    candidates: tuple[int, ...]

    @property
    def head(self) -> int:
        """Gold head."""
        return self.sentence.heads[self.pp]

    @property
    def preposition(self) -> str:
        """Lemma of the preposition, in lower case."""
        lemma = self.sentence.lemmas[self.adposition]
        return (self.sentence.tokens[self.adposition] if lemma == "_" else lemma).lower()


def harvest(sentence: TreebankSentence) -> list[NaturalPhrase]:
    """The phrases of a sentence that hang on one of several candidates, in their order."""
    found = (_phrase(sentence, word) for word in range(len(sentence.tokens)))
    return [phrase for phrase in found if phrase is not None]


def _phrase(sentence: TreebankSentence, word: int) -> NaturalPhrase | None:
    if sentence.relation(word) not in PHRASES or sentence.upos[word] not in NOMINALS:
        return None
    prepositions = [
        child
        for child in sentence.children(word)
        if child < word and sentence.upos[child] == "ADP" and sentence.relation(child) == "case"
    ]
    verb = sentence.verb_of(word)
    if not prepositions or verb is None or sentence.finite_of(verb) is None:
        return None
    nouns = (  # of the verb's clause, and no part of the phrase or of a name
        noun
        for noun in range(prepositions[0])
        if sentence.upos[noun] in NOUNS
        and sentence.relation(noun) not in PARTS
        and sentence.verb_of(noun) == verb
        and word not in sentence.ancestors(noun)
    )
    candidates = tuple(sorted({verb, *nouns}))
    if len(candidates) < LEAST_CANDIDATES or sentence.heads[word] not in candidates:
        return None
    return NaturalPhrase(sentence, prepositions[0], word, verb, candidates)


def position_of(phrase: NaturalPhrase) -> str:
    """Where the phrase stands, by its words alone; the names are the suite's.

    `inside_np` before the finite verb of a main clause, where nouns stand before it too;
    `after_bracket` behind the clause's last verb, where that is not its finite one;
    `next_to_noun` where a candidate noun is the word before it; else `away_from_noun`.
    """
    sentence, verb = phrase.sentence, phrase.verb
    finite, top = sentence.finite_of(verb), verb
    while sentence.relation(top) == "conj":  # the clauses of a coordination are all alike
        top = sentence.heads[top]
    labels = {sentence.relation(word) for word in sentence.children(top)}
    is_main = sentence.relation(top) in MAIN_CLAUSES and "mark" not in labels
    if is_main and finite is not None and phrase.adposition < finite:
        return "inside_np"
    if finite != verb and max(verb, finite or verb) < phrase.adposition:
        return "after_bracket"
    is_next = phrase.adposition - 1 in phrase.candidates and phrase.adposition - 1 != verb
    return "next_to_noun" if is_next else "away_from_noun"


def read_sentences(path: str | Path) -> list[TreebankSentence]:
    """Sentences of a CoNLL-U file, perhaps gzipped; a ConllError where one is no labelled tree."""
    treebank = read_conll(path, is_tree=True)
    ids = treebank.comments("sent_id")
    cells = {name: treebank.strings(column).to_pylist() for name, column in CELLS.items()}
    labels, heads = treebank.strings("deprel").to_pylist(), treebank.heads.tolist()
    return [
        TreebankSentence(
            id=ids[i] or str(i + 1),
            **{name: words[start:end] for name, words in cells.items()},
            deprels=labels[start:end],
            heads=[head - 1 for head in heads[start:end]],
        )
        for i, (start, end) in enumerate(itertools.pairwise(treebank.offsets.tolist()))
    ]


def phrases_of(place: str | Path) -> Iterator[NaturalPhrase]:
    """The phrases of a CoNLL-U file, in their order; errors as in `read_sentences`."""
    return itertools.chain.from_iterable(map(harvest, read_sentences(place)))


def natural_table(places: Sequence[str]) -> pa.Table:
    """Rows of `NATURAL_SCHEMA`; arguments and errors as in `natural_columns`."""
    return pa.table(natural_columns(places), schema=NATURAL_SCHEMA)


def natural_problems(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """One line for every rule that a row breaks, and for every id that recurs."""
    seen: set[str] = set()
    for row in rows:
        words, head = row["candidates"], row["head"]
        rules = {
            "an id of its own": row["id"] not in seen,
            "the gold head among the candidates": head in words,
            "the head of the tree": row["heads"][row["pp"]] - 1 == head,
            "its label of the tree": row["deprels"][row["pp"]] == row["dependent"],
            "the verb among the candidates": row["verb"] in words,
            "candidates in their order": len(words) >= LEAST_CANDIDATES and words == sorted(words),
            "a preposition before its noun": row["adposition"] < row["pp"],
        }
        seen.add(row["id"])
        yield from (
            f"{row['id']}: got {' '.join(row['tokens'])}; expected {expected}"
            for expected, holds in rules.items()
            if not holds
        )


def natural_columns(places: Sequence[str]) -> dict[str, list[Any]]:
    """Rows of config `natural`, CoNLL-U file by CoNLL-U file in their order, as columns.

    A ValueError for no file, two of one name, a broken one, or none with such a phrase.
    """
    names = [treebank_name(place) for place in places]
    if not places:
        raise ValueError("natural, got no treebank; expected CoNLL-U files")
    if len(set(names)) < len(names):
        got = f"natural, got treebanks named {', '.join(names)}"
        raise ValueError(f"{got}; expected each name once")
    if missing := [place for place in places if not Path(place).is_file()]:
        raise ValueError(f"natural, got {missing[0]}, no such file; expected a CoNLL-U file")
    rows = [
        _row(name, number, phrase)
        for name, place in zip(names, places, strict=True)
        for number, phrase in enumerate(phrases_of(place), start=1)
    ]
    if not rows:
        got = f"natural, got no phrase with {LEAST_CANDIDATES} candidate heads in"
        raise ValueError(f"{got} {', '.join(names)}; expected some")
    return {name: [row[name] for row in rows] for name in rows[0]}


def treebank_name(place: str) -> str:
    """Short name of a treebank's file, which ids begin with.

    Example:
        >>> treebank_name("treebanks/de_gsd-ud-dev.conllu.gz")
        'de_gsd_ud_dev'
    """
    return re.sub(r"\W+", "_", Path(place).name.partition(".")[0].lower())


def _row(treebank: str, number: int, phrase: NaturalPhrase) -> dict[str, Any]:
    sentence, head = phrase.sentence, phrase.head
    n_between = phrase.adposition - head if head < phrase.adposition else head - phrase.pp
    return {
        "id": f"{treebank}/{number:05d}",
        "item_id": f"{treebank}/{sentence.id}",
        "family": treebank,
        "group": "natural",
        "position": position_of(phrase),
        "n_candidates": len(phrase.candidates),
        "distance": n_between - 1,
        "preposition": phrase.preposition,
        "definiteness": definiteness_of(phrase),
        "is_pronoun": sentence.upos[phrase.pp] == "PRON",
        "dependent": sentence.deprels[phrase.pp],
        **{name: list(getattr(sentence, name)) for name in (*CELLS, "deprels")},
        "heads": [word + 1 for word in sentence.heads],
        "verb": phrase.verb,
        "pp": phrase.pp,
        "adposition": phrase.adposition,
        "head": head,
        "candidates": list(phrase.candidates),
        "n_tokens": len(sentence.tokens),
    }


def definiteness_of(phrase: NaturalPhrase) -> str:
    """`definite` or `indefinite` by the determiner, `bare` without; pronouns are definite."""
    sentence = phrase.sentence
    if sentence.upos[phrase.pp] == "PRON":
        return "definite"
    feats = [sentence.feats[w] for w in sentence.children(phrase.pp) if sentence.upos[w] == "DET"]
    if not feats:
        return "bare"
    return "indefinite" if any("Definite=Ind" in one for one in feats) else "definite"
