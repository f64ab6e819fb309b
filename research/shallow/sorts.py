"""SORTS: which of two arguments is the subject, pairs of texts, questions and views."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from builders.sorts.lexicon import DUTCH, GERMAN, Lexicon, read_lexicon
from research.shallow.cues import context_cues, merged, sampled, text_cues, text_symbols
from research.shallow.decisions import Design, OptionChoice, Problem
from research.shallow.token_views import head_view, tag_view
from research.studies.study import Rows

MOST = 20_000  # all rows
CANONICAL = ("VF[S]LK[V]MF[O]", "VF[O]LK[V]MF[S]")
STRENGTHS = (1.0, 0.03)
FAMILIES = (
    "lemmas and endings",
    "kinds of phrases and endings",
    "kinds of phrases and endings of forms",
    "kinds of phrases and whether forms are lemmas",
    "kinds of phrases, forms, gender and number",
    "kinds of phrases and endings, each with the verb",
)
"""What a reader knows who looks at two nouns and neither at their order, articles nor verb.

Forms say number. Of a weak noun, such as "Menschen", they say case too, which is asked. The last
one knows the verb's lemma: whether it wants a person before a thing.
"""
MEANING = "who is alive, by the class of the verb"
"""From the dictionary. In `amb` it often decides, and so is the rule; elsewhere it is beside it."""
TREES = {
    "kinds, endings, gender and number of both nouns": FAMILIES[:-1],
    "both nouns, the verb and who is alive": (*FAMILIES, MEANING),
}
TEXT_TREES = {"words, their pairs and endings": ("words", "pairs of words", "endings of words")}
AGREEMENT = "articles and endings, each with the verb's ending"
BEFORE = "the word before it, by who is asked for"
TRIPLES = "strings of up to three words and marks"
SKIPS = "pairs of words and endings"
"""What applies the rule of case and agreement, and so is no shortcut."""


def clauses(name: str, rows: Rows) -> Iterator[Problem]:
    """The clauses in the two scored orders: subject or object first, of which both must be right.

    The inflection of articles and verbs is what is asked: what reads it applies the rule.
    """
    scored = [row for row in rows if row["word_order"] in CANONICAL]
    n_of_item = Counter(row["item_id"] for row in scored)
    whole = [row for row in scored if n_of_item[row["item_id"]] == len(CANONICAL)]
    whole = [row for row in whole if row["resolved_by"] not in ("none", "plausibility")]
    if not whole:
        return
    lexicon = read_lexicon(DUTCH if name.startswith("dutch") else GERMAN)
    made = [_clause(row, lexicon) for row in sampled(whole, "triple_id", MOST)]
    real, rules = frozenset([*FAMILIES, MEANING]), frozenset([AGREEMENT])
    if name.endswith("/amb"):
        rules |= {MEANING}
    of_all: tuple[Any, ...] = (real, rules, STRENGTHS, TREES)
    yield Problem(name, "svo_ovs_score", made, "units", "paper", *of_all)
    yield Problem(name, "informedness", made, "informedness", "headline", *of_all)


def _clause(row: Mapping[str, Any], lexicon: Lexicon) -> OptionChoice:
    """The two arguments in the order of the alphabet, so that their place says nothing."""
    places = sorted((row["subject"], row["object"]), key=lambda at: (row["lemmas"][at], at))
    nouns = [row["lemmas"][at] for at in places]
    cues = []
    for k, at in enumerate(places):
        word = row["tokens"][at]
        cues.append(
            {
                "place in the clause": at,
                "distance from the verb": abs(at - row["verb"]),
                "number of letters": len(row["lemmas"][at]),
                "number of letters of the form": len(word),
                "place in the alphabet": k,
                "capital letters": sum(letter.isupper() for letter in word),
                "is a pronoun": float(row["upos"][at] == "PRON"),
                "is a name": float(row["upos"][at] == "PROPN"),
                "words of the phrase": sum(head == at + 1 for head in row["heads"]),
                "vowels": sum(letter in "aeiouäöü" for letter in word.lower()),
                "frequency": _zipf(row, at),
            }
        )
    told = [_symbols(row, places, k, lexicon) for k in (0, 1)]
    families = (*FAMILIES, MEANING, AGREEMENT)
    symbols = {family: [one[family] for one in told] for family in families}
    gold, unit = places.index(row["subject"]), row["item_id"]
    return OptionChoice(nouns, gold, row["triple_id"], unit, cues, symbols, row=row["id"])


def _symbols(
    row: Mapping[str, Any], places: Sequence[int], k: int, lexicon: Lexicon
) -> dict[str, list[str]]:
    """Strings of an argument by family; `k` is its place among the two."""
    kind, of = (_kind_of_phrase(row, at) for at in (places[k], places[1 - k]))
    form, lemma = row["tokens"][places[k]], row["lemmas"][places[k]]
    own, other = (_gender_and_number(row, at) for at in (places[k], places[1 - k]))
    is_one, is_other = (
        row["tokens"][at].lower() == row["lemmas"][at].lower() for at in (places[k], places[1 - k])
    )
    kinds = [kind, f"{kind} of {of}"]
    endings = [f"-{form[-n:]}" for n in (1, 2, 3)]
    forms = [f"={is_one}", f"={is_one} {is_other}", f"{kind} ={is_one} {is_other}"]
    forms.append(f"+{len(form) - len(lemma)}")
    told = [own, f"{own} of {other}", f"{kind} {own}"]
    found = (
        [lemma, *(f"-{lemma[-n:]}" for n in (1, 2, 3, 4))],
        [*kinds, *(f"-{lemma[-n:]}" for n in (2, 3))],
        [*kinds, *endings],
        [*kinds, *forms],
        [*kinds, *forms, *endings, *told],
        [
            *kinds,
            *_each_with(
                row["lemmas"][row["verb"]][:5], [kind, *(f"-{lemma[-n:]}" for n in (1, 2, 3))]
            ),
        ],
    )
    return dict(zip(FAMILIES, found, strict=True)) | {
        MEANING: _meant(row, places[k], places[1 - k], lexicon),
        AGREEMENT: _inflected(row, places[k]),
    }


def _meant(row: Mapping[str, Any], at: int, other: int, lexicon: Lexicon) -> list[str]:
    """Whether an argument and the other one are alive, each with the class of the verb."""
    told = [_animacy(row, place, lexicon) for place in (at, other)]
    verb = lexicon.verbs.get(row["lemmas"][row["verb"]])
    selects = f"{verb.subject_class} {verb.object_class}" if verb else ""
    symbols = [told[0], " of ".join(told), f"{row['upos'][at]} {told[0]} of {told[1]}"]
    return _each_with(f"{'psy' in row['properties']} {selects}", symbols)


def _animacy(row: Mapping[str, Any], at: int, lexicon: Lexicon) -> str:
    """What the dictionary says of a noun; of a pronoun and a name what they are."""
    noun = lexicon.nouns.get(row["lemmas"][at])
    if noun is not None and row["upos"][at] == "NOUN":
        return noun.animacy
    return f"{row['upos'][at]} {_gender_and_number(row, at)}"


def _each_with(told: str, symbols: Sequence[str]) -> list[str]:
    """Symbols by themselves and each beside a word."""
    return [*symbols, *(f"{told} {symbol}" for symbol in symbols)]


def _inflected(row: Mapping[str, Any], at: int) -> list[str]:
    """Article and endings of an argument, each with the ending of the finite verb."""
    own = (i for i, head in enumerate(row["heads"]) if head == at + 1 and row["upos"][i] == "DET")
    article, form = " ".join(row["tokens"][i].lower() for i in own), row["tokens"][at].lower()
    symbols = [row["upos"][at], article, *(f"{article} -{form[-n:]}" for n in (1, 2, 3))]
    if row["upos"][at] == "PRON":
        symbols.append(form)
    finite = [row["tokens"][i] for i, told in enumerate(row["feats"]) if "VerbForm=Fin" in told]
    return _each_with(f"-{finite[0][-2:]}" if finite else "-", symbols)


def _gender_and_number(row: Mapping[str, Any], at: int) -> str:
    """What a dictionary says of a noun, and how many it names; no case."""
    told = row["feats"][at].split("|")
    return " ".join(one for one in told if one.startswith(("Gender=", "Number=")))


def _kind_of_phrase(row: Mapping[str, Any], at: int) -> str:
    """Part of speech of an argument and its determiner without inflection, which says no case."""
    own = (i for i, head in enumerate(row["heads"]) if head == at + 1 and row["upos"][i] == "DET")
    return f"{row['upos'][at]} {' '.join(row['lemmas'][i] for i in own)}"


def _zipf(row: Mapping[str, Any], at: int) -> float:
    name = "subject_zipf" if at == row["subject"] else "object_zipf"
    return float(row.get(name) or 0)


def text_pair(name: str, rows: Rows, right: str, wrong: str, *, is_scored: bool) -> Problem:
    """A right and a wrong text, in the order of the alphabet."""
    made = []
    for row in sampled(rows, "cluster", MOST):
        options = sorted((row[right], row[wrong]))
        cues, symbols = text_cues(options), dict(text_symbols(options))
        symbols["places of capital letters"] = [
            [
                f"{at} of {len(text.split())}"
                for at, word in enumerate(text.split())
                if word[0].isupper()
            ]
            for text in options
        ]
        symbols[TRIPLES] = [_triples(text) for text in options]
        symbols[SKIPS] = [_skips(text) for text in options]
        gold = options.index(row[right])
        made.append(OptionChoice(options, gold, row["cluster"], row["id"], cues, symbols))
    design: Design = "own" if is_scored else "training"
    together = {} if is_scored else TEXT_TREES
    return Problem(
        name, "accuracy", made, design=design, rules=frozenset([SKIPS]), together=together
    )


def _triples(text: str) -> list[str]:
    words = re.findall(r"\w+|[^\w\s]", text.lower())
    return [" ".join(words[i : i + n]) for n in (1, 2, 3) for i in range(len(words) - n + 1)]


def _skips(text: str) -> list[str]:
    """Pairs of words or their last letters: how far apart up to five, and anywhere."""
    words = ["^", *text.lower().replace(",", " ,").split(), "$"]
    forms = [(word, f"-{word[-1:]}") for word in words]
    near = [
        f"{word} {k} {other}"
        for i, word in enumerate(words)
        for k, of_place in enumerate(forms[i + 1 : i + 6], 1)
        for other in of_place
    ]
    far = itertools.chain.from_iterable(
        itertools.product(first, second) for first, second in itertools.combinations(forms, 2)
    )
    return [*near, *(f"{first} .. {second}" for first, second in far)]


def pairs(name: str, rows: Rows) -> Iterator[Problem]:
    """The config `pairs`: as a whole, and each construction, both numbers of agreement as one."""
    yield text_pair(name, rows, "grammatical", "violated", is_scored=True)
    by_kind: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_kind.setdefault(row["construction"].partition("_of_")[0], []).append(row)
    for kind, chosen in by_kind.items():
        yield text_pair(f"{name}:{kind}", chosen, "grammatical", "violated", is_scored=True)


def preference(name: str, rows: Rows) -> Iterator[Problem]:
    """The config `preference`, which has no accuracy."""
    yield text_pair(name, rows, "first", "second", is_scored=False)


def questions(name: str, rows: Rows) -> Iterator[Problem]:
    """The config `questions`: who did it, of two."""
    made = []
    for row in rows:
        options = list(row["choices"])
        question = row["question"].partition(",")[0]
        cues = merged(text_cues(options), context_cues(row["sentence"], question, options))
        gold = options.index(row["answer"])
        symbols = text_symbols(options) | {
            BEFORE: [_before(row["sentence"], question, text) for text in options]
        }
        made.append(
            OptionChoice(
                options, gold, row["cluster"], row["id"], cues, symbols, row["construction"]
            )
        )
    yield Problem(name, "accuracy", made, rules=frozenset([BEFORE]))


def _before(sentence: str, question: str, option: str) -> list[str]:
    """The question's first word with the word before an option, alone and with its last letters."""
    words, asked = sentence.rstrip(".").split(), question.split()[0]
    at = words.index(option.rstrip(".").split()[-1])
    before = words[at - 1].lower() if at else "^"
    return [f"{asked} {before}", f"{asked} {before} -{words[at][-2:]}"]


CONFIGS = {
    **dict.fromkeys(("conll_lite", "conll", "dutch_lite", "dutch"), clauses),
    **dict.fromkeys(("twins", "dutch_twins"), clauses),
    "pairs": pairs,
    "dutch_pairs": pairs,
    "*preference": preference,
    "questions": questions,
    "*roles_*": tag_view("tags"),
    "*parsing_*": head_view,
}
