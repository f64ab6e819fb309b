"""What people are asked about SORTS: who does it, how sure they are, and how good the clause is.

400 clauses of both splits, the same for both forms: 50 of each split that `plausibility` and 50
that `none` resolves, where only people can say what is preferred, and the others in equal parts of
what settles them. A stratum takes its clauses from as many triples and word orders as it has.

**who** asks "Wer ...?", a choice of the two phrases, and how sure one is on four steps.
**acceptability** asks for one of seven steps.

Source: the sample and the questions are ours; the paper asked nobody.
"""

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from builders.forms import FormItem, RatingForm, Row, shuffled
from builders.sorts import DRAW, VERSION
from builders.sorts.draw import draw
from builders.sorts.lexicon import GERMAN, read_lexicon
from builders.sorts.writers import plain_text
from ground.tables import read_settings
from metrics.subject_object_las.inputs import UNDECIDED

N_CLAUSES, PER_UNDECIDED = 400, 50
N_SHEETS = 4
TEXTS = GERMAN.parent / "forms.toml"


@functools.cache
def form_clauses(seed: int = 0) -> list[dict[str, Any]]:
    """The 400 clauses of the default draw, by stratum; another seed takes others of it."""
    strata: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for split, columns in draw().items():
        names = list(columns)
        for values in zip(*columns.values(), strict=True):
            row = dict(zip(names, values, strict=True))
            if len(set(_options(row))) == 2:
                strata.setdefault((split, row["resolved_by"]), []).append(row)
    quotas = stratum_sizes({name: len(rows) for name, rows in strata.items()})
    return [row for name, n in quotas.items() for row in take(strata[name], n, seed)]


def stratum_sizes(available: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    """How many clauses each stratum gives, by split and `resolved_by`, in alphabetic order.

    Example:
        >>> stratum_sizes({("amb", "none"): 90, ("amb", "animacy"): 900, ("part_amb", "case"): 20})
        {('amb', 'animacy'): 330, ('amb', 'none'): 50, ('part_amb', 'case'): 20}
    """
    sizes = dict.fromkeys(sorted(available), 0)
    limits = {
        name: min(available[name], PER_UNDECIDED) if name[1] in UNDECIDED else available[name]
        for name in sizes
    }
    while sum(sizes.values()) < min(N_CLAUSES, sum(limits.values())):
        open_ = [name for name in sizes if sizes[name] < limits[name]]
        sizes[min(open_, key=lambda name: (name[1] not in UNDECIDED, sizes[name]))] += 1
    return sizes


def take(rows: Sequence[Row], n: int, seed: int) -> list[dict[str, Any]]:
    """Takes n clauses: of each triple in turn, in the word order that has come least often."""
    orders: Counter[str] = Counter()
    triples: dict[str, list[Row]] = {}
    for row in shuffled(rows, "sorts forms", DRAW, seed):
        triples.setdefault(row["triple_id"], []).append(row)
    found: list[dict[str, Any]] = []
    while len(found) < n:
        for left in [left for left in triples.values() if left][: n - len(found)]:
            row = min(left, key=lambda row: orders[row["word_order"]])
            left.remove(row)
            orders[row["word_order"]] += 1
            found.append(dict(row))
    return found


@functools.cache
def sheets(seed: int = 0) -> list[list[dict[str, Any]]]:
    """The clauses dealt out to four sheets of 100, triples and strata as evenly as they can be."""
    found: list[list[dict[str, Any]]] = [[] for _ in range(N_SHEETS)]
    counts: list[Counter[str]] = [Counter() for _ in range(N_SHEETS)]
    for row in form_clauses(seed):
        open_ = [i for i in range(N_SHEETS) if len(found[i]) < N_CLAUSES // N_SHEETS]
        keys = (row["triple_id"], row["item_id"].partition("/")[0] + row["resolved_by"])
        i = min(open_, key=lambda i: (*(counts[i][key] for key in keys), len(found[i])))
        found[i].append(row)
        counts[i].update(keys)
    return found


def who(seed: int, sheet: int) -> list[FormItem]:
    """The question who does it, with both phrases in an order of the sheet's own."""
    rows = shuffled(sheets(seed)[sheet % N_SHEETS], "sorts who", DRAW, seed, sheet)
    return [_who_item(row, seed, sheet) for row in rows]


def _who_item(row: Row, seed: int, sheet: int) -> FormItem:
    places = zip((row["subject"], row["object"]), _options(row), strict=True)
    options = [{"id": str(place), "text": text} for place, text in places]
    texts, verb = read_settings(TEXTS)["who"], read_lexicon().verbs[row["lemmas"][row["verb"]]]
    asked = texts["dative" if "Case=Dat" in row["feats"][row["object"]] else "accusative"]
    content = {
        "text": plain_text(row["tokens"]),
        "question": str(texts["question"].format(verb=verb.third_singular, object=asked)),
        "options": shuffled(options, "sorts options", DRAW, seed, sheet, row["id"]),
        "asks_sureness": True,
    }
    return FormItem(row["id"], "choose", content)


def acceptability(seed: int, sheet: int) -> list[FormItem]:
    """How good each clause is, on seven steps."""
    rows = shuffled(sheets(seed)[sheet % N_SHEETS], "sorts acceptability", DRAW, seed, sheet)
    return [FormItem(row["id"], "rate", {"text": plain_text(row["tokens"])}) for row in rows]


def _options(row: Row) -> tuple[str, str]:
    """Subject and object as phrases, as they stand in the clause."""
    return _phrase(row, row["subject"]), _phrase(row, row["object"])


def _phrase(row: Row, head: int) -> str:
    places = []
    for i in range(len(row["tokens"])):
        place = i
        while place not in (head, -1):
            place = row["heads"][place] - 1
        places += [i] * (place == head)
    words = row["tokens"][places[0] : places[-1] + 1]
    is_name = row["upos"][places[0]] in ("NOUN", "PROPN")
    return " ".join(words if is_name else [words[0].lower(), *words[1:]])


def _form(name: str, deal: Any, n_raters: int, minutes: int) -> RatingForm:
    return RatingForm("sorts", name, VERSION, "de", N_SHEETS, n_raters, minutes, TEXTS, deal)


FORMS = (_form("who", who, 24, 25), _form("acceptability", acceptability, 24, 15))
