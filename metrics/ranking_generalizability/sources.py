"""What is given in the place of columns: a table, files or folders of scores, through one door.

Every column gets a role. What is left out, blank, averaged or told apart is said in `remarks`, with
its place; what can be read in two ways is an error that says what would tell.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, compress
from typing import Any

import numpy as np

from .._shared.columns import FloatArray, shown
from .agreement import close_names, unequal_runs
from .components import nearest_mean
from .inputs import (
    METRIC,
    PLAIN,
    WHY,
    Table,
    check_intervals,
    check_marked,
    counts_rows,
    encoded,
    grouped,
    in_code,
    is_average,
    is_average_of,
    is_blank,
    is_language,
    is_summary,
    kind_of,
    may_be_unit,
    meaning_of,
    quoted,
    read_scores,
    refusal,
    words_in,
    words_of,
)
from .score_files import (
    ASSUMED,
    ScoreRows,
    Told,
    direction_of,
    direction_of_column,
    distinct,
    is_index,
    plain_name,
    table_of,
)

Named = dict[str, tuple[str, ...]]
"""Columns by role."""

# --- Which column of a table holds what: guessed from its names, shown, overridden by the caller
#
# A long table has one score a row. A wide one has several columns of scores: one per system, with a
# row per unit; or, beside a column that names systems, one per unit. Columns that are neither,
# counts and spreads and ranks among them, are ignored, and it is said why.

WHERE = f"{METRIC}: data"
NAMES = {
    "system": "system model method algorithm classifier approach parser segmenter tagger learner"
    " modell modelle modeller modello modelo modèle modelnaam methode méthode método verfahren"
    " système sistema systeem \u6a21\u578b \u65b9\u6cd5 \u7cfb\u7edf \u30e2\u30c7\u30eb",
    "unit": "unit dataset task benchmark language lang corpus domain draw testset subset"
    " datensatz datensätze aufgabe korpus sprache jeudedonnées corpora tâche langue tarea idioma"
    " conjuntodedatos taak taal"
    " \u6570\u636e\u96c6 \u8cc7\u6599\u96c6 \u4efb\u52a1 \u8bed\u8a00 \u8bed\u6599\u5e93",
    "repeat": "repeat seed run fold split trial replicate rep durchlauf lauf",
    "item": "item doc example instance question sample",
    "cluster": "cluster",
    "crossed": "crossed",
    "score": "score value accuracy acc f1 performance result auc bleu las uas metricvalue",
}
"""What columns are called, as `plain_name` writes a name, for each role."""
FEWEST_COUNTED = 3  # rows, from which numbers in order are asked about
ROLES = tuple(NAMES)
ROLE_NAMES = frozenset(word for words in NAMES.values() for word in words.split())
SPLITS = words_in("train training dev devel development val valid validation test testing heldout")
TRUTH = words_in("true false")
IGNORED = "ignored"
NAMELESS = "(no name)"  # of a column
RESULT_ROLES = {"system": "model", "unit": "task", "score": "score", "item": "item"}
LAYOUTS = {
    "long": "one score a row",
    "systems": "a column of scores per system",
    "units": "a column of scores per unit",
}
MEANT = {
    "long": "the scores",
    "systems": "scores of the system of its name",
    "units": "scores in the unit of its name",
}


@dataclass(frozen=True)
class Roles:
    """Columns of each role; several columns of a role are read together, as `mnli/en`."""

    columns: Mapping[str, tuple[str, ...]]
    layout: str  # a key of LAYOUTS; several columns of scores make a table wide
    ignored: Mapping[str, str] = field(default_factory=dict)  # why a column is not read

    def used(self) -> dict[str, str]:
        """Columns that are read, with the role of each."""
        return {name: role for role in ROLES for name in self.columns[role]}

    def fields(self) -> dict[str, str]:
        """What was read as what, by role, such as `{"system": "model", "score": "a, b, c"}`."""
        columns = {role: names for role in ROLES if (names := self.columns[role])}
        named = {role: ", ".join(n or NAMELESS for n in names) for role, names in columns.items()}
        wide = {} if self.layout == "long" else {self.layout[:-1]: "the columns' names"}
        return wide | named | {"layout": LAYOUTS[self.layout]}

    def rows(self, names: Sequence[str]) -> list[dict[str, str]]:
        """Role of every column, in the table's order: `column`, `role`, and `why`."""
        of = self.used()
        why = dict.fromkeys(self.columns["score"], MEANT[self.layout]) | dict(self.ignored)
        return [{"column": n, "role": of.get(n, IGNORED), "why": why.get(n, "")} for n in names]


def find_roles(table: Table, given: Mapping[str, Any], is_result: bool = False) -> Roles:
    """Roles of the columns, by what is given and then by their names and what they hold.

    `given` has a column, or columns, by role where the guess is not wanted; None for no column. The
    role `ignored` is for what is to be left out. Directions of result files are read with them. A
    ValueError where a role cannot be told, or a named column is not there.
    """
    names = list(table)
    chosen = {role: _given(role, value, names) for role, value in given.items()}
    taken = {name for of_role in chosen.values() for name in of_role}
    ignored = dict.fromkeys(chosen.pop(IGNORED, ()), "as asked")
    if not is_result and (told := direction_of_column(table)):
        ignored[told[1]] = "says which scores are better"
    kinds = {n: kind_of(table[n]) for n in names if n not in taken and n not in ignored}
    check_intervals(table, [n for n, kind in kinds.items() if kind in ("text", "mixed")])
    found = _by_names(table, chosen, kinds)
    index = None if "unit" in chosen else tuple(filter(is_index, found["unit"]))
    if index and (len(found["unit"]) > 1 or kinds[index[0]] == "number"):
        found["unit"] = tuple(name for name in found["unit"] if name not in index)
        index = tuple(name for name in index if kinds[name] == "number")
        ignored |= dict.fromkeys(index, "an index of rows")
    named = {name for role in ROLES[:-1] for name in found[role]}.union(index or ())
    free = [name for name in kinds if name not in named]
    ignored |= {n: _why_left("empty", table[n]) for n in free if kinds[n] == "empty"}
    scored = {n for n in free if n in found["score"] or meaning_of(n).is_just("score")}
    numbers = [n for n in free if kinds[n] == "number" or (kinds[n] == "mixed" and n in scored)]
    no_texts = {*found["score"], *numbers}
    texts = [n for n in free if kinds[n] in ("text", "mixed") and n not in no_texts]
    n_scores = [len(found["score"]), len([n for n in numbers if not _why_not(n, numbers)])]
    is_nameless = not found["system"] and "system" not in chosen and bool(found["unit"])
    if is_nameless and len(texts) == 1 and 1 in n_scores:  # the one text left names the systems
        check_marked(table, texts, numbers)
        found, texts = found | {"system": (texts[0],)}, []
    if "score" not in chosen:
        free_numbers = _possible(numbers, table, ignored, found)
        has_unit = bool(found["unit"] or len(texts) == 1)
        found["score"] = _scores(found, free_numbers, names, has_unit, ignored)
    roles = Roles(*_with_unit(found, texts, index, names, kinds))
    used = roles.used()
    if roles.layout != "long":
        unread = [n for n in texts if n not in used and n not in ignored]
        check_marked(table, unread, roles.columns["score"])
    left = [name for name in names if name not in used]
    why = {n: ignored.get(n) or _why_left(kinds.get(n, ""), table[n]) for n in left}
    return replace(roles, ignored=why)


def _by_names(table: Table, chosen: Named, kinds: Mapping[str, str]) -> Named:
    """Columns of each role, as chosen or by their names; those of scores hold numbers."""
    known = {role: [n for n in kinds if plain_name(n) in NAMES[role].split()] for role in ROLES}
    known["score"] = [name for name in known["score"] if kinds[name] != "empty"]
    found = {role: chosen.get(role, tuple(names)) for role, names in known.items()}
    decimals = {n for n in kinds if kinds[n] == "number" and not _is_whole(table[n])}
    # data sets may be called Cluster or Language
    if found["system"] and not found["score"] and len(decimals) > 2:
        kept = {role: [n for n in of if n not in decimals] for role, of in found.items()}
        found |= {r: tuple(of) for r, of in kept.items() if r not in ("score", *chosen)}
    if "repeat" not in chosen:
        cells = {n: {str(c).strip().casefold() for c in table[n]} for n in found["repeat"]}
        # parts of a data set are no runs of one thing
        found["repeat"] = tuple(n for n in found["repeat"] if not cells[n] <= SPLITS)
    return found


def _why_left(kind: str, cells: Sequence[Any]) -> str:
    """Why a column of a kind that has no role is not read."""
    if kind != "empty":
        return "a number that is not the score" if kind == "number" else "text that is not needed"
    texts = dict.fromkeys(cell.strip() for cell in cells if isinstance(cell, str) and cell.strip())
    return f"no score, only {quoted(list(texts))}" if texts else "no cell holds anything"


def _possible(
    numbers: Sequence[str], table: Table, ignored: dict[str, str], found: Named
) -> list[str]:
    """Numbers that may be scores; the others are noted in `ignored` with the reason."""
    kept, is_long = [], found["system"] and found["unit"]
    may_be_wide = found["system"] and not is_long
    for name in numbers:
        why, cells = _why_not(name, numbers), table[name]
        meaning = meaning_of(name, frozenset(table) - {name})
        is_share = meaning.kind == "things" and not _is_whole(cells)
        is_unit = may_be_wide and may_be_unit(name, cells)
        if is_share or is_unit or is_language(name, numbers, cells):
            why = ""
        if may_be_wide and not why and distinct(cells) <= TRUTH:
            is_truth = all(distinct(table[n]) <= TRUTH for n in numbers)
            why = "" if is_truth else "truth values beside numbers"
        if not is_long and not why and is_average(name, surely=not found["system"]):
            why = WHY["average"]
        if why:
            ignored[name] = why
        else:
            kept.append(name)
    if not is_long:
        _check_counted(kept, table)
    return kept


def _check_counted(names: Sequence[str], table: Table) -> None:
    """Refuses a column that may be row numbers among those of scores; a ValueError names it."""
    counted = [n for n in names if counts_rows(table[n]) and not meaning_of(n).kind]
    if not 0 < len(counted) < len(names):
        return
    name = counted[0]
    cells = [str(cell).strip() for cell in table[name] if not is_blank(cell)]
    if len(cells) >= FEWEST_COUNTED:
        got = f"the numbers from {cells[0]} to {cells[-1]} in order, as rows are counted"
        expected = (
            f"scores: name what it is by columns={{'unit': {name!r}}} (--unit), leave it out by"
            f" {_ignoring(name)} (--columns {IGNORED}={name}), or name all scores"
            " by columns={'score': ...} (--score)"
        )
        raise refusal(f"{WHERE}: column {name!r}", got, expected)


def _ignoring(names: object) -> str:
    """What a caller gives to leave columns out."""
    return f"columns={{'{IGNORED}': {names!r}}}"


def _why_not(name: str, names: Sequence[str]) -> str:
    """Why a column of numbers is no score by its name; nothing where it may be one."""
    kind = meaning_of(name, frozenset(names) - {name}).kind
    return WHY.get(kind, "") if kind != "average" else ""


def _scores(
    found: Named,
    numbers: Sequence[str],
    names: Sequence[str],
    has_unit: bool,
    ignored: dict[str, str],
) -> tuple[str, ...]:
    """Column or columns of scores; a ValueError where the names do not tell."""
    named = [n for n in numbers if n in found["score"] or meaning_of(n).is_just("score")]
    unnamed = [n for n in numbers if n not in named and meaning_of(n).is_just("cost")]
    costs = [n for n in unnamed if not is_language(n, numbers)]
    exact = [n for n in named if plain_name(n) == "score"]
    others = [n for n in numbers if n not in costs] or costs
    if found["system"] and len(best := exact or named or others) == 1:
        return (best[0],)
    is_wide = not found["system"] or not has_unit
    texts = [plain_name(name) for name in names if name not in numbers]
    if len(others) > 1 and all(map(PLAIN.fullmatch, others)) and not set(texts) & ROLE_NAMES:
        got = f"the numbers {', '.join(others[:4])}"
        raise refusal(f"{WHERE}: header", got, "names of columns in the first row")
    if len(others) > 1 and not named and is_wide and others != costs:
        ignored |= dict.fromkeys(costs, "a cost by its name")
        return tuple(others)
    what = "columns that could be the score" if found["system"] or named else "columns of scores"
    known = {*numbers, *ignored, *(name for of in found.values() for name in of)}
    texts = [name for name in names if name not in known]
    is_board = bool(texts) and len(others) > 1 and not found["unit"]
    hint = f", or leave out the text {texts[0]!r} (columns={{'ignored': ...}})" if is_board else ""
    left = [f"{name} ({why})" for name, why in ignored.items() if name in names]
    hint += f"; ignored: {', '.join(left)}" if left else ""
    got = f"{', '.join(named or others) or 'none'} of {', '.join(names)}"
    such = 'columns={"system": "model", "unit": "dataset", "score": "f1"}'
    expected = "one beside a column of systems, or one per system: name them, such as"
    raise refusal(f"{WHERE}: {what}", got, f"{expected} {such}{hint}")


def _with_unit(
    found: Named,
    texts: Sequence[str],
    index: tuple[str, ...] | None,
    names: Sequence[str],
    kinds: Mapping[str, str],
) -> tuple[Named, str]:
    """Columns and layout; repeats, items or the index are the unit where there is no other."""
    is_wide = len(found["score"]) > 1
    layout = "long" if not is_wide else "units" if found["system"] else "systems"
    mixed = [name for name in texts if kinds[name] == "mixed"]
    none = f"none among {', '.join(names)}"
    if is_wide and mixed:
        expected = f"numbers and blanks such as NA, or to ignore it: {_ignoring(mixed)}"
        raise refusal(f"{WHERE}: column {mixed[0]!r}", "a few numbers among texts", expected)
    if layout == "long" and not found["system"]:
        expected = 'one: columns={"system": ...}, or --system NAME'
        raise refusal(f"{WHERE}: column of systems", none, expected)
    if layout == "units" or found["unit"] or index is None:
        return found, layout
    if layout == "systems" and len(texts) > 1:
        # Foo,Bar,7,79.3: systems, data sets, a seed and a score, or texts beside two systems
        got = f"{', '.join(texts)} beside the numbers {', '.join(found['score'])}"
        expected = (
            'names that tell systems, units and scores apart: columns={"system": ..., "unit": ...,'
            ' "score": ...} or --system, --unit and --score'
        )
        raise refusal(f"{WHERE}: columns", got, expected)
    if texts and (layout == "systems" or len(texts) == 1):
        found["unit"] = tuple(texts)
    for role in ("item", "repeat"):
        if found[role] and not found["unit"]:
            found["unit"], found[role] = found[role], ()
    found["unit"] = found["unit"] or index[:1]
    if layout == "long" and not found["unit"]:
        named = 'columns={"unit": ...}, or --unit NAME'
        expected = f"what was resampled, a data set or a seed: {named}"
        raise refusal(f"{WHERE}: column of units", none, expected)
    return found, layout


def _given(role: str, value: Any, names: Sequence[str]) -> tuple[str, ...]:
    if role not in (*ROLES, IGNORED):
        raise refusal(f"{METRIC}: columns", shown(role), ", ".join(ROLES))
    is_many = isinstance(value, Iterable) and not isinstance(value, str)
    wanted = () if value is None else tuple(value) if is_many else (value,)
    where, known = f"{METRIC}: columns: {role}", f"of {', '.join(names)}"
    if doubled := [name for name in wanted if wanted.count(name) > 1]:
        raise refusal(where, f"{shown(doubled[0])} twice", "once")
    if role == "score" and not wanted:
        raise refusal(where, "none", known)
    if unknown := [name for name in wanted if name not in names]:
        raise refusal(where, shown(unknown[0]), known)
    return wanted


def _is_whole(column: Sequence[Any]) -> bool:
    """Whether all numbers of a column are whole, as counts are."""
    texts = (str(cell).replace(",", ".") for cell in column if cell is not None)
    return all("." not in text or text.endswith(".0") for text in texts)


# --- Averages among units or systems, found by arithmetic: one that equals the mean of others

CHANCE = 0.001  # of such an equality by chance, above which nothing is left out
DOUBT = 0.05  # up to which it is asked about
MOST, MOST_IN_BLOCKS = 1000, 60  # units looked at, and those whose blocks or weights are tried


def averages_among(
    names: list[Any], scores: FloatArray, sizes: Mapping[str, FloatArray] | None = None
) -> tuple[dict[Any, str], list[Any]]:
    """Names whose scores, (U, S), nan for none, are the mean of others, with what these are.

    That is of all others, of those next to them, or weighted by `sizes`, (U,) each by the name of
    their column; without any, {}, by some weights that are the same for every system, and None for
    rows that have no weights. Then names that may be such, where scores are too coarse to tell.
    """
    found: dict[Any, str] = {}
    doubtful: list[Any] = []
    unlike = {np.nan_to_num(column, nan=-np.inf).tobytes(): column for column in scores.T}
    scores = np.array(list(unlike.values())).T.reshape(len(names), -1)  # equal systems are one
    if not 3 <= len(names) <= MOST or scores.shape[1] < 2:
        return found, doubtful
    decimals = [_decimals(row) for row in scores]
    for i, name in enumerate(names):
        if (~np.isnan(scores[i])).sum() < 2:
            continue
        blocks = _blocks(i, len(names))
        tried = [(_chance(scores[i], scores[block], decimals[i]), what) for block, what in blocks]
        others = blocks[0][0]
        for column, size in (sizes or {}).items():
            chance = _chance(scores[i], scores[others], decimals[i], size[others])
            tried.append((chance, f"all others, weighted by {in_code(column)}"))
        if sizes is not None and len(names) <= MOST_IN_BLOCKS:
            chance = _chance_of_weights(scores[i], scores[others], max(decimals))
            tried.append((chance, "all others, with the same weights"))
        most = CHANCE / (len(names) * len(tried))
        if what := next((what for chance, what in tried if chance < most), ""):
            found[name] = what
        chance = min(c for c, what in tried if what.startswith("all"))
        if not what and len(names) > 3 and chance * len(names) < DOUBT:
            doubtful.append(name)
    return found, doubtful


def _blocks(i: int, n: int) -> list[tuple[list[int], str]]:
    """Rows that row i may be the mean of: all others, those right before, those right after."""
    others = [j for j in range(n) if j != i]
    if n > MOST_IN_BLOCKS:
        return [(others, "all others")]
    before = [list(range(start, i)) for start in range(i - 1)]
    after = [list(range(i + 1, stop)) for stop in range(i + 3, n + 1)]
    near = [(block, "those next to it") for block in (*before, *after) if block != others]
    return [(others, "all others"), *near]


def _chance(
    row: FloatArray, others: FloatArray, decimals: int, sizes: FloatArray | None = None
) -> float:
    """Chance of being so near to the mean of others; 1 where the row is not as near as rounding."""
    has = ~np.isnan(row) & ~np.isnan(others).all(axis=0)
    if has.sum() < 2 or len(others) < 2:
        return 1.0
    row, others = row[has], others[:, has]
    counted = np.where(np.isnan(others), 0.0, (1.0 if sizes is None else sizes[:, None]))
    if not (counted.sum(axis=0) > 0).all() or (sizes is not None and np.ptp(sizes) == 0):
        return 1.0
    mean = (counted * np.nan_to_num(others)).sum(axis=0) / counted.sum(axis=0)
    grid = 10.0**-decimals
    near = (0.5 if sizes is None else 1.0) * grid * (1 + 1e-6) + 1e-9 * np.abs(row)
    grid = max(grid, _common_step(row, others))
    if (np.abs(row - mean) > near).any():
        return 1.0
    apart = np.concatenate([others[:, :1], others[:, 1:] - others[:, :1]], axis=1)
    spread = np.fmax.reduce(apart) - np.fmin.reduce(apart)  # nan where there is no score
    spread = np.where(np.isnan(spread), 0.0, spread)
    return float(np.prod(np.minimum(1.0, grid / np.maximum(spread, grid))))


def _chance_of_weights(row: FloatArray, others: FloatArray, decimals: int) -> float:
    """Chance of being so near to some mean of others whose weights are the same for all systems."""
    has = ~np.isnan(row) & ~np.isnan(others).any(axis=0)
    row, others = row[has], others[:, has]
    grid = 10.0**-decimals + 1e-9 * np.abs(row).max(initial=0.0)
    is_between = (row > others.min(axis=0) - grid) & (row < others.max(axis=0) + grid)
    if has.sum() < 3 or len(others) < 2 or not is_between.all():
        return 1.0
    missed, weights = nearest_mean(row, others)
    n_free = len(row) - (weights > 1e-6).sum() + 1
    if np.abs(missed).max() > 1.5 * grid or weights.max() > 0.98 or n_free < 1:
        return 1.0
    usual = [
        np.sqrt((nearest_mean(other, np.delete(others, j, axis=0))[0] ** 2).mean())
        for j, other in enumerate(others)
    ]
    return float(min(1.0, grid / max(min(usual), grid)) ** n_free)


def derived_among(
    names: list[Any], scores: FloatArray, extremes: Collection[Any] = ()
) -> dict[Any, str]:
    """Names whose scores are everywhere the difference of two others; of `extremes`, their end."""
    found: dict[Any, str] = {}
    said = {str(name): set(words_of(name)) for name in names}
    is_told = [n in extremes or any(of < said[str(n)] for of in said.values()) for n in names]
    sizes = np.nansum(np.abs(scores), axis=1)
    order = sorted(range(len(names)), key=lambda i: (not is_told[i], sizes[i]))
    for i in order if 3 <= len(names) <= MOST_IN_BLOCKS else ():
        others, has = [j for j in range(len(names)) if j != i], ~np.isnan(scores).any(axis=0)
        row, grid = np.abs(scores[i, has]), 10.0 ** -max(map(_decimals, scores))
        near = float((3 * grid / max(np.ptp(row), 3 * grid)) ** len(row)) if len(row) else 1.0
        is_chance = near * len(names) ** 3 / 2 > (DOUBT if is_told[i] else CHANCE)
        for j, k in combinations(others, 2) if not is_chance else ():
            is_same = np.abs(row - np.abs(scores[j, has] - scores[k, has])) < 1.01 * grid
            if is_same.all() and {names[j], names[k]}.isdisjoint(found):
                found[names[i]] = f"the difference of {in_code(names[j])} and {in_code(names[k])}"
        rest = scores[others][:, has]
        ends = (("most", rest.max(axis=0)), ("least", rest.min(axis=0)))
        for what, end in ends if names[i] in extremes and len(row) > 1 else ():
            if (row == end).all():
                found[names[i]] = f"the {what} of others"
    return found


def _is_mean(i: int, scores: FloatArray) -> bool:
    """Whether a row is the mean of all others, as rounded."""
    others = np.delete(scores, i, axis=0)
    has = ~np.isnan(scores[i]) & ~np.isnan(others).all(axis=0)
    missed = scores[i, has] - np.nanmean(others[:, has], axis=0)
    return bool((np.abs(missed) <= 0.5001 * 10.0 ** -_decimals(scores[i])).all())


def _common_step(row: FloatArray, others: FloatArray) -> float:
    """Smallest step between scores, as of shares of few items; 0 where not all are on it."""
    values = np.unique(np.append(others[~np.isnan(others)], row))
    gaps = np.diff(values)
    gaps = gaps[gaps > 1e-9 * np.abs(values).max(initial=1e-300)]
    if not len(gaps):
        return 0.0
    steps = (values - values[0]) / gaps.min()
    return float(gaps.min()) if (np.abs(steps - np.round(steps)) < 1e-6).all() else 0.0


def _decimals(row: FloatArray) -> int:
    """Decimals that numbers are written with, at most 12."""
    texts = (repr(round(value, 12)) for value in row.tolist() if value == value)
    plain = (text for text in texts if "e" not in text and text[-2:] != ".0")
    return max((len(text.partition(".")[2]) for text in plain), default=0)


# --- From a table, files or folders to the columns of the metric

MOST_NAMED = 5
YEARS = (1950, 2040)
FAR = 10  # times as large as all other systems' scores: another quantity


@dataclass(frozen=True)
class ReadScores:
    """Scores of a table or of files."""

    inputs: Mapping[str, Any]  # columns of the metric
    roles: Roles
    columns: Sequence[Mapping[str, str]]  # role of each: rows with `column`, `role` and `why`
    n_blank: int  # cells without a score, which are left out
    is_higher_better: bool | None  # None where nothing tells
    direction: str  # what tells it, a phrase
    remarks: Sequence[str]  # what was left out, derived, or read in a special way, sentences
    note: str  # which score was chosen of result files, a sentence; empty where none was

    def options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Options of the caller, with the direction that was read where there is no other.

        A ValueError where nothing tells whether a higher or a lower score is better.
        """
        asked = given.get("higher_is_better")
        if asked is None and self.is_higher_better is None:
            flags = "(--higher-is-better, --lower-is-better)"
            expected = f"True or False {flags}: its name does not tell"
            raise refusal(f"{METRIC}: higher_is_better", f"none for {self.direction}", expected)
        return {**given, "higher_is_better": self.is_higher_better if asked is None else asked}

    def described(self, result: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """A result with what was read first, and with the direction in its verdict."""
        is_higher, is_asked = result["higher_is_better"], given.get("higher_is_better") is not None
        why = f" ({self.direction})"
        if self.is_higher_better is None or (is_asked and self.direction == ASSUMED):
            why = ", as asked"
        elif self.is_higher_better != is_higher:
            why = f", as asked, against {self.direction}"
        said = f"A {'higher' if is_higher else 'lower'} score is the better one{why}."
        read = {"roles": list(self.columns), "remarks": list(self.remarks)}
        read |= {"columns": self.roles.fields(), "n_blank": self.n_blank, "note": self.note}
        return read | {"direction": said, **result, "verdict": f"{result['verdict']} {said}"}


def read_source(
    data: Any, columns: Mapping[str, Any] | None = None, metric: str | None = None
) -> ReadScores:
    """Inputs of the metric from what a person has, as `compute` takes it.

    A ValueError where a file or the table cannot be read, a role or a cell has two readings or
    none, a system has several scores in a unit, or scores have two directions.
    """
    if not isinstance(columns or {}, Mapping):
        expected = "a mapping from roles, such as {'unit': 'dataset'}"
        raise refusal(f"{METRIC}: columns", shown(columns), expected)
    table = table_of(data, metric)
    given = {role: name for role, name in RESULT_ROLES.items() if name in table.columns}
    given = {**(given if table.is_result else {}), **(columns or {})}
    return _read(table, find_roles(table.columns, given, table.is_result))


def _read(table: ScoreRows, roles: Roles) -> ReadScores:
    remarks = list(dict.fromkeys(table.remarks))
    table = _without_empty_rows(table, roles, remarks)
    scores, said = read_scores(
        {name: table.columns[name] for name in roles.columns["score"]},
        lambda name, i: f"{table.places[i].rpartition('/')[2]}: {name}",
        table.is_european,
    )
    if roles.layout == "systems" and not roles.columns["unit"]:
        remarks.append(_rows_as_units(table, roles))
    labels = {role: _label(table, roles.columns[role], remarks) for role in ROLES[:-1]}
    cells = _stacked(table, labels, roles.layout, scores)
    sizes = _sizes(cells, roles)
    cells, dropped = _without_averages(cells, sizes, table.is_result, remarks)
    remarks += [*_check_scales(cells, roles), *_check_lonely(cells), *_two_scales(cells)]
    remarks += _unlike_runs(cells, roles)
    _check_apart(cells, roles)
    _check_connected(cells)
    remarks += [*said, *close_names(cells.labels)]
    kept = cells.chosen([value == value for value in cells.score])
    inputs = kept.labels | {"score": kept.score}
    remarks += unequal_runs(inputs)
    if "item" in inputs and len(set(inputs["unit"])) == 1:  # a single data set: its items vary
        inputs["unit"] = inputs.pop("item")
        merged = {"unit": roles.columns["item"], "item": ()}
        roles = replace(roles, columns={**roles.columns, **merged})
    told = direction_of(table, roles.columns, roles.layout, inputs["unit"])
    told = unless_negative(told, kept.score)
    rows, note = roles.rows(list(table.columns)), ""
    if table.is_result:  # what says the same in all rows is left out
        varied = {n for n, of in table.columns.items() if len(set(map(str, of))) > 1} - {"file"}
        rows = [row for row in rows if row["role"] != IGNORED or row["column"] in varied]
        note = f"Score: {', '.join(sorted(set(table.columns['metric'])))}."
    n_blank = len(cells.score) - len(kept.score)
    return ReadScores(inputs, roles, rows, n_blank, *told, [*dropped, *remarks], note)


def _rows_as_units(table: ScoreRows, roles: Roles) -> str:
    """What is said where a wide table has no column of units; steps of training are refused."""
    for name in roles.ignored:
        if meaning_of(name).kind == "step":
            got = f"none but {name!r}, and steps of one training are no data sets"
            expected = f"a column of units, or columns={{'unit': {name!r}}} to take them so"
            raise refusal(f"{WHERE}: unit", got, expected)
    return f"No column of units: each of the {table.n_rows:,} rows is one."


@dataclass(frozen=True)
class CellTable:
    """Scores one by one: labels by role, the score, and where in the table it stands."""

    table: ScoreRows
    labels: dict[str, list[Any]]
    score: list[float]
    row: list[int]
    column: list[str]

    def chosen(self, kept: Sequence[bool]) -> "CellTable":
        """Some of the cells."""
        labels = {role: list(compress(names, kept)) for role, names in self.labels.items()}
        score, row = list(compress(self.score, kept)), list(compress(self.row, kept))
        return CellTable(self.table, labels, score, row, list(compress(self.column, kept)))

    def without(self, role: str, names: Collection[Any]) -> "CellTable":
        """All but the cells of some units, repeats or systems."""
        left_out = set(names)
        return self.chosen([n not in left_out for n in self.labels[role]]) if left_out else self

    def of_rows(self, name: str) -> list[str]:
        """What a column of the table has in the row of each cell."""
        return [str(self.table.columns[name][row]) for row in self.row]

    def place(self, i: int) -> str:
        """Where a cell stands, for messages."""
        return f"{self.table.places[self.row[i]].rpartition('/')[2]}: {self.column[i]}"


def _without_empty_rows(table: ScoreRows, roles: Roles, remarks: list[str]) -> ScoreRows:
    used = [table.columns[name] for name in roles.used()]
    full = [i for i in range(table.n_rows) if not all(is_blank(column[i]) for column in used)]
    if len(full) == table.n_rows:
        return table
    n = table.n_rows - len(full)
    remarks.append(f"{n:,} empty {'row' if n == 1 else 'rows'} left out.")
    return table.chosen(full)


def _label(table: ScoreRows, names: Sequence[str], remarks: list[str]) -> list[Any] | None:
    """Names of systems, units, repeats or items in NFC, without blanks around them."""
    columns = []
    for name in names:
        given = table.columns[name]
        cells = [_clean(cell) for cell in given]
        nameless = (
            c == "" if isinstance(c, str) else is_blank(c) or not isinstance(c, Hashable)
            for c in cells
        )  # nothing, a list, an object
        if (wrong := next((i for i, is_so in enumerate(nameless) if is_so), None)) is not None:
            hint = " (pandas reads NA as missing: keep_default_na=False)"
            expected = f"a name{hint if is_blank(given[wrong]) else ''}"
            raise refusal(f"{METRIC}: {table.places[wrong]}: {name}", shown(given[wrong]), expected)
        columns.append(cells)
        texts = {pair for pair in zip(given, cells, strict=True) if isinstance(pair[0], str)}
        n_written = Counter(cell for _, cell in texts)
        remarks += [
            f"{name or NAMELESS}: {in_code(cell)} is written in {n_written[cell]} ways, which"
            " differ in blanks, invisible characters or the codes of a letter alone: read as one."
            for cell in dict.fromkeys(cells)
            if n_written[cell] > 1
        ]
    if len(columns) < 2:
        return columns[0] if columns else None
    return ["/".join(map(str, cells)) for cells in zip(*columns, strict=True)]


def _clean(cell: Any) -> Any:
    if not isinstance(cell, str) or (cell.isascii() and cell.isalnum()):
        return cell
    text = re.sub("[\u200b\u200c\u200d\u2060\ufeff]", "", unicodedata.normalize("NFC", cell))
    return " ".join(text.split())


def _stacked(
    table: ScoreRows,
    labels: Mapping[str, list[Any] | None],
    layout: str,
    scores: Mapping[str, list[float]],
) -> CellTable:
    """Scores of all columns one after the other, with the labels of each."""
    rows = list(range(table.n_rows)) * len(scores)
    given = {role: label * len(scores) for role, label in labels.items() if label is not None}
    column = [name for name in scores for _ in range(table.n_rows)]
    headings = [text for name in scores for text in [_clean(name)] * table.n_rows]
    if layout == "systems":
        units = given.pop("unit", None) or [f"row {i + 1}" for i in rows]
        given = {"system": headings, "unit": units} | given
    elif layout == "units":
        if "unit" in given:
            headings = [f"{u}/{h}" for u, h in zip(given["unit"], headings, strict=True)]
        given["unit"] = headings
    return CellTable(table, given, [v for of in scores.values() for v in of], rows, column)


def _without_averages(
    cells: CellTable, sizes: Mapping[str, Mapping[Any, float]], is_result: bool, remarks: list[str]
) -> tuple[CellTable, list[str]]:
    """Cells without units and systems that are averages of others, by name or by arithmetic."""
    dropped = []
    for role in ("unit", "repeat", "system"):
        names = list(dict.fromkeys(cells.labels.get(role, ())))
        none = [n for n in names if is_summary(n, role, names) and not is_language(str(n), names)]
        doubted = [n for n in names if role == "unit" and may_be_unit(str(n))]
        by_name = [n for n in none if n not in doubted] if not is_result else []
        if by_name and len(none) < len(names):
            dropped.append(f"{quoted(by_name)} left out: no {role} by name.")
            cells = cells.without(role, by_name)
        if role == "repeat" or is_result:
            continue
        derived = derived_among(*_matrix(cells, role), doubted)
        derived = {n: of for n, of in derived.items() if role == "system" or n in doubted}
        dropped += [f"{in_code(n)} left out: equal to {of}." for n, of in derived.items()]
        cells = cells.without(role, derived)
        kept = [name for name in doubted if name not in derived]
        remarks += [f"{in_code(n)} is kept as a {role}: nothing made of others." for n in kept]
    for role in ("unit", "system"):
        names, scores = _matrix(cells, role)
        named = [n for n in names if is_average(n) or (role == "unit" and is_average_of(n))]
        if role == "system":  # one may be called `combined` and be no average
            doubted = [name for name in named if not is_average(name, surely=True)]
            kept = [name for name in doubted if not _is_mean(names.index(name), scores)]
            named = [name for name in named if name not in kept]
            remarks += [f"{in_code(n)} is kept as a system: no mean of the others." for n in kept]
        if named and len(names) > len(named):
            what = "an average" if len(named) == 1 else "averages"
            dropped.append(f"{quoted(named)} left out: {what} by name.")
            cells = cells.without(role, named)
        left, scores = _matrix(cells, role)
        known = {n: np.array([of.get(name) for name in left]) for n, of in sizes.items()}
        found, doubtful = averages_among(left, scores, known if role == "unit" else None)
        for what in dict.fromkeys(found.values()):
            dropped.append(
                f"{quoted([name for name in found if found[name] == what])} left out: equal to the"
                f" mean of {what} for every {'system' if role == 'unit' else 'unit'}."
            )
        cells = cells.without(role, found)
        remarks += [
            f"{in_code(name)} equals the mean of the other {role}s, as rounded: if it is their"
            " average, leave it out."
            for name in doubtful
        ]
    return cells, dropped


def _matrix(cells: CellTable, role: str) -> tuple[list[Any], FloatArray]:
    """Names of units, or systems, and their scores by all else; nan where none or several."""
    others = zip(*(label for r, label in cells.labels.items() if r != role), strict=True)
    (codes, names), (columns, of) = encoded(cells.labels[role]), encoded(list(others))
    matrix, place = np.full((len(names), len(of)), np.nan), codes * len(of) + columns
    is_one = np.bincount(place)[place] == 1
    matrix.reshape(-1)[place[is_one]] = np.array(cells.score)[is_one]
    return names, matrix


def _sizes(cells: CellTable, roles: Roles) -> dict[str, dict[Any, float]]:
    """Sizes of units by the name of a column of counts that says one of each unit."""
    found: dict[str, dict[Any, float]] = {}
    for name in roles.ignored if roles.layout != "units" else ():
        if meaning_of(name).kind not in ("count", "things"):
            continue
        texts = [cell.replace(",", "").strip() for cell in cells.of_rows(name)]
        sizes = [float(text) if PLAIN.fullmatch(text) else -1.0 for text in texts]
        of_unit = grouped(zip(cells.labels["unit"], sizes, strict=True))
        if all(min(sizes) == max(sizes) >= 0 for sizes in of_unit.values()):
            found[name] = {unit: sizes[0] for unit, sizes in of_unit.items()}
    return found


def _scored_places(cells: CellTable, role: str) -> dict[Any, list[int]]:
    """Places of the scores of each system or unit, without blanks."""
    found = grouped((name, i) for i, name in enumerate(cells.labels[role]))
    return {
        n: [i for i in places if cells.score[i] == cells.score[i]] for n, places in found.items()
    }


def _check_scales(cells: CellTable, roles: Roles) -> list[str]:
    """Refuses another quantity, and shares beside percentages; asks about units in shares."""
    asked = []
    for role in ("system", "unit"):
        own = _scored_places(cells, role)
        of = {name: [cells.score[i] for i in places] for name, places in own.items() if places}
        lows = sorted((min(values), i) for i, values in enumerate(of.values()))[:2]
        highs = sorted((-max(values), i) for i, values in enumerate(of.values()))[:2]
        for place, (name, values) in enumerate(of.items()):
            others = [low for low, i in lows if i != place][:1]  # their ends: all is too many
            others += [-high for high, i in highs if i != place][:1]
            if not others or others[0] <= 0:
                continue
            is_whole = roles.layout == f"{role}s" and all(value == int(value) for value in values)
            is_year = YEARS[0] <= min(values) <= max(values) <= YEARS[1] > 2 * max(others)
            if is_whole and (min(values) > FAR * max(others) or is_year):
                got = f"{_span(values)} beside scores from {_span(others)}"
                advice = f"leave it out by {_ignoring(name)}, or name the scores"
                expected = f"scores of one kind: {advice}"
                raise refusal(f"{WHERE}: column {name!r}", got, expected)
            if not 0 < min(values) <= max(values) <= min(1, min(others) / FAR):
                continue
            if role == "system" and min(others) > 1:
                got = f"{_span(values)} beside {_span(others)} of the others"
                raise refusal(f"{WHERE}: system {name!r}", got, "shares or percentages in all")
            said = f"{in_code(name)} has {_span(values)}, the others {_span(others)}"
            asked.append(f"{said}: is it a share beside percentages?")
    return asked


def _two_scales(cells: CellTable) -> list[str]:
    """A question about systems that have some scores as shares and others far above 1."""
    asked = []
    for system, own in _scored_places(cells, "system").items():
        low = [i for i in own if 0 < cells.score[i] <= 1]
        high = [cells.score[i] for i in own if cells.score[i] > 1]
        if low and high and min(high) >= FAR * max(cells.score[i] for i in low):
            named = [f"{cells.place(i)} {cells.score[i]:g}" for i in low[:MOST_NAMED]]
            named += [f"{len(low) - MOST_NAMED:,} more"] if len(low) > MOST_NAMED else []
            asked.append(
                f"{in_code(system)} has {', '.join(named)} beside {min(high):g} to {max(high):g}:"
                " are these shares beside percentages?"
            )
    return asked


CODES = frozenset((-99.0, -999.0, -9999.0, -99999.0, 999.0, 9999.0, 99999.0, 999999.0))
"""Numbers that stand for a missing one."""


def _check_lonely(cells: CellTable) -> list[str]:
    """Refuses codes of missing scores; asks about one score far from all others, or below 0."""
    values, asked = np.array(cells.score), []
    for i in np.flatnonzero(np.abs(values) > FAR * np.nanmedian(np.abs(values))).tolist()[:1]:
        rest = np.delete(values, i)
        rest = rest[~np.isnan(rest) & (rest != values[i])]
        if len(rest) > 2 and abs(values[i]) > FAR * np.abs(rest).max():
            if values[i] in CODES:
                got = f"{values[i]:g} beside scores from {_span(rest)}"
                expected = "nothing, or such as NA, where there is no score"
                raise refusal(f"{METRIC}: {cells.place(i)}", got, expected)
            asked.append(_question(cells, i, rest))
    above, below = values[values > 0], values[values < 0]
    if len(above) > len(below) > 1 and set(below) == {-1.0} and above.min() > 1:
        said = f"{len(below):,} scores are -1, all others {_span(above)}"
        asked.append(f"{said}: are these missing ones?")
    low = np.flatnonzero(values < (np.sort(above)[1] / FAR if len(above) > 3 else 0))
    if len(low) == 1 and len(above) > 3:
        asked.append(_question(cells, low[0], above[above > values[low[0]]]))
    return asked


def _question(cells: CellTable, i: int, rest: FloatArray) -> str:
    return f"{cells.place(i)} is {cells.score[i]:g}, all others {_span(rest)}: is it a score?"


def _span(values: Any) -> str:
    return f"{min(values):g} to {max(values):g}"


def _check_apart(cells: CellTable, roles: Roles) -> None:
    """Refuses several scores of a system in a unit, and says what would tell them apart."""
    names = [role for role in ("system", "unit", "repeat", "item") if role in cells.labels]
    keys = zip(*(cells.labels[role] for role in names), strict=True)
    groups = grouped((key, i) for i, key in enumerate(keys))
    doubled = [places for places in groups.values() if len(places) > 1]
    if not doubled:
        return
    first, table = doubled[0], cells.table
    named = ", ".join(f"{role} {cells.labels[role][first[0]]!r}" for role in names)
    scores = [cells.score[i] for i in first[:2]]
    values = " and ".join(f"{of:.12g}" if of == of else "an empty cell" for of in scores)
    places = [table.places[cells.row[i]] for i in first[:2]]
    files = [place.rpartition("/")[2] for place in places]
    where = " and ".join(files if len(set(files)) == len(files) else places)
    used = roles.used()
    free = [name for name in table.columns if name not in used and not is_index(name)]
    told = _telling(doubled, cells, free)
    advice = (
        f"they differ in {told}: keep those of one, or, where they are runs of one thing,"
        f" columns={{'repeat': {told.split(' (')[0]!r}}} (--repeat)"
        if told
        else "no column tells them apart: add one that numbers the runs, or leave one out"
    )
    raise ValueError(
        f"{METRIC}: {named}: got {len(first)} scores ({values}; {where}); expected one; {advice}"
    )


def _check_connected(cells: CellTable) -> None:
    """Refuses systems that no unit compares with the others, not even through a third system."""
    groups: list[tuple[set[Any], set[Any]]] = []
    pairs = zip(cells.labels["system"], cells.labels["unit"], cells.score, strict=True)
    for system, unit in dict.fromkeys((s, u) for s, u, value in pairs if value == value):
        met = [g for g in groups if system in g[0] or unit in g[1]]
        merged = {system}.union(*(g[0] for g in met)), {unit}.union(*(g[1] for g in met))
        groups = [g for g in groups if all(g is not m for m in met)] + [merged]
    if len(groups) > 1:
        first, second = (min(map(str, systems)) for systems, _ in groups[:2])
        got = f"none that both {first!r} and {second!r} were scored on"
        raise refusal(f"{METRIC}: units", got, "some in common")


def _telling(doubled: Sequence[Sequence[int]], cells: CellTable, free: Sequence[str]) -> str:
    """Columns, one or two, in which all that is scored twice differs, with their first values."""
    for names in (*combinations(free, 1), *combinations(free, 2)):
        columns = [cells.of_rows(name) for name in names]
        keys = [[tuple(column[i] for column in columns) for i in group] for group in doubled]
        if all(len(set(of)) == len(of) for of in keys):
            values = ["/".join(key) for key in keys[0][:3]]
            shown_values = ", ".join(v if len(v) < 60 else f"...{v[-57:]}" for v in values)
            return f"{' and '.join(names)} ({shown_values})"
    return ""


CONDITIONS = words_in("nshot nshots shots fewshot taskversion nsamples limit split")
"""Columns, as `plain_name` writes them, that say how a system was run."""


def _unlike_runs(cells: CellTable, roles: Roles) -> list[str]:
    """What is said of systems that were run on a unit in other ways than others there."""
    asked, labels = [], cells.labels
    for name in (one for one in roles.ignored if plain_name(one) in CONDITIONS):
        of: dict[Any, dict[str, Any]] = {}
        ways = cells.of_rows(name)
        for unit, system, way in zip(labels["unit"], labels["system"], ways, strict=True):
            of.setdefault(unit, {}).setdefault(way, system)
        if unlike := {unit: told for unit, told in of.items() if len(told) > 1}:
            unit, told = next(iter(unlike.items()))
            first = [f"{value} of {in_code(one)}" for value, one in list(told.items())[:2]]
            asked.append(
                f"{in_code(name)} differs between systems in {len(unlike):,} of {len(of):,} units"
                f" ({in_code(unit)}: {' and '.join(first)}): are these scores of one test?"
            )
    return asked


def unless_negative(told: Told, scores: Sequence[float]) -> Told:
    """No direction of a cost by its name that has negative values: it may have been negated."""
    is_guessed = "by its name" in told[1] or "by the names" in told[1]
    if told[0] is False and is_guessed and min(scores, default=0) < 0:
        return None, f"{told[1].partition(' by ')[0]}, a cost with negative values"
    return told
