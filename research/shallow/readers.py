"""The family of shallow readers, each fitted on one half of the clusters and scored on the other.

Of a training view others are fitted on its training split, as a user's model is.

Of every cue the largest or the least, and how often each of its values was right; trees of depth
three over two cues; boosted trees over all, and over what a row has where all rows have the same
options; log-linear weights of symbols; random trees over cues and symbols together; coins per row,
unit, option and pair of options. A tie is a coin among the tied.
"""

import itertools
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from builders.shallow import Kind
from metrics._shared.columns import BoolArray, FloatArray
from research.shallow.cues import drawn_number
from research.shallow.decisions import Cued, OptionChoice, Problem, ShallowReading

DEPTH = 3
BEST_ALONE = 9  # cues that are combined, beside those that are the same for all options
LEAST = 3  # times that a symbol occurs in the fitted half
SMOOTH = 1.5  # by which values of a table lend to their neighbours, a standard deviation
MOST_VALUES = 300  # of a table that is smoothed
PRIOR = 4.0  # options of the mean share that are added to each value of a table
TREE_LEAF = 5
LEAST_OF_ROW = 9  # cues that all options of a row share, below which trees over two read enough
N_TREES = 100
TREE_SHARE = 0.2  # of cues and symbols, drawn for each branch of a random tree
TREE_SYMBOLS = 3000  # most frequent ones
TREE_BRANCH = 3  # options at its end
TREE_LEAST = 5  # times that one of them occurs in the fitted half
KNOWING: tuple[Kind, ...] = ("null", "shortcut", "rule")
"""What readers of cues know, from nothing on."""


def readings(problem: Problem) -> list[ShallowReading]:
    """All readers of a problem, each decision read by one that was fitted on the other half.

    Beside them those that a training split taught. Where decisions are of several kinds, a reader
    is made of the best of each kind, chosen where it was fitted; kinds that no training split has
    are read as one.
    """
    decisions, taught = [*problem.decisions], [*problem.taught]
    half = halves(decisions)
    if problem.cutters is not None:
        return list(problem.cutters(half, taught))
    found = _of_all_kinds(decisions, [one.kind for one in decisions], half, problem)
    if problem.answered:
        found.append(_recalled(problem))
    if not taught:
        return found
    n, both = len(decisions), [*decisions, *taught]
    kinds = [one.kind for one in both]
    is_known = set(kinds[:n]) <= set(kinds[n:])
    more = _of_all_kinds(
        both, kinds if is_known else [""] * len(both), np.arange(len(both)) < n, problem
    )
    return found + [
        replace(one, says=f"fitted on train: {one.says}", right=one.right[:n]) for one in more
    ]


def _recalled(problem: Problem) -> ShallowReading:
    """The option that is right more often in the other split, which has answers of its clusters."""
    told = [(text, k == one.gold) for one in problem.answered for k, text in enumerate(one.options)]
    right, n = (
        Counter(text for text, is_right in told if is_right),
        Counter(text for text, _ in told),
    )
    cued = Cued.of(problem.decisions)
    values = np.full(cued.is_option.shape, -np.inf)
    for i, one in enumerate(problem.decisions):
        shares = [(right[text] + 1) / (n[text] + 2) for text in one.options]
        values[i, : len(shares)] = shares
    says = "option that is right more often in the other split"
    return ShallowReading(says, _chosen(values, cued), "leak")


def _of_all_kinds(
    decisions: Sequence[OptionChoice], known: Sequence[str], half: BoolArray, problem: Problem
) -> list[ShallowReading]:
    """Readers of decisions of these kinds, those of a half fitted on the rest."""
    n, kinds = len(problem.decisions), sorted({*known[: len(problem.decisions)]})
    parts = []
    for kind in kinds:
        places = [i for i, own in enumerate(known) if own == kind]
        of_kind = [decisions[i] for i in places]
        parts.append((places, list(_of_kind(of_kind, half[places], problem))))
    if len(kinds) == 1:
        return parts[0][1]
    return [_best_of_kinds(parts, kinds, half, n, most) for most in KNOWING]


def halves(decisions: Sequence[OptionChoice]) -> BoolArray:
    """Which decisions are of the first half: clusters in the order of their hashes, in turn."""
    clusters = {one.cluster for one in decisions}
    first = set(sorted(clusters, key=lambda name: drawn_number(f"0|{name}"))[::2])
    return np.array([one.cluster in first for one in decisions])


def _of_kind(
    decisions: Sequence[OptionChoice], half: BoolArray, problem: Problem
) -> Iterator[ShallowReading]:
    if half.all() or not half.any():
        return
    cued = Cued.of(decisions)
    for j, name in enumerate(cued.names):
        up, down = (_chosen(sign * cued.values[:, :, j], cued) for sign in (1, -1))
        right = np.empty(len(half))
        for fold in (half, ~half):  # the direction that is better where it is fitted
            is_up = up[~fold].mean() >= down[~fold].mean()
            right[fold] = (up if is_up else down)[fold]
        says = f"{'largest' if up.mean() >= down.mean() else 'least'} “{name}”"
        yield ShallowReading(says, right, problem.kind_of(name))
        for says, width in (("table of", 0.0), ("smooth table of", SMOOTH)):
            by_value = _chosen(_table(cued.values[:, :, j], cued, half, width), cued)
            yield ShallowReading(f"{says} “{name}”", by_value, problem.kind_of(name))
    yield from _trees(cued, half, problem)
    yield from _boosted(cued, half, problem)
    yield from _boosted_rows(decisions, cued, half, problem)
    families = set.intersection(*({*one.symbols} for one in decisions))
    for family, strength in itertools.product(sorted(families), problem.strengths):
        right = _log_linear(decisions, family, half, cued, strength)
        says = f"{'small ' if strength < 1 else ''}weights of {family}"
        yield ShallowReading(says, right, problem.kind_of(family))
    for says, together in problem.together.items():
        right = _random_trees(decisions, together, half, cued)
        kind = problem.kind_of(*cued.names, *together)
        yield ShallowReading(f"random trees over {says}", right, kind)
    yield from _coins(decisions, cued)


def _chosen(values: FloatArray, cued: Cued) -> FloatArray:
    """With which probability the option of the largest value is the right one."""
    shown = np.where(cued.is_option, values, -np.inf)
    is_best = (shown == shown.max(axis=1, keepdims=True)) & cued.is_option
    at_gold = is_best[np.arange(len(shown)), cued.gold]
    return np.asarray(at_gold / is_best.sum(axis=1), dtype=float)


def _table(values: FloatArray, cued: Cued, half: BoolArray, width: float) -> FloatArray:
    """Of each option the share in which its value was right in the other half, drawn to the mean.

    A tree of depth three cannot follow a cue that goes up and down; this reader does.
    """
    known, codes = np.unique(values, return_inverse=True)
    codes, kernel = codes.reshape(values.shape), np.eye(len(known))
    if width and len(known) <= MOST_VALUES and np.isfinite(known).all():
        kernel = np.exp(-(((known[:, None] - known) / width) ** 2) / 2)
    scores = np.zeros(values.shape)
    for fold in (half, ~half):
        fitted = cued.is_option & ~fold[:, None]
        n = np.bincount(codes[fitted], minlength=len(known))
        right = np.bincount(codes[fitted & cued.is_gold], minlength=len(known))
        mean = right.sum() / max(n.sum(), 1)
        shares = np.round((kernel @ right + PRIOR * mean) / (kernel @ n + PRIOR), 9)
        scores[fold] = shares[codes[fold]]
    return scores


def _trees(cued: Cued, half: BoolArray, problem: Problem) -> Iterator[ShallowReading]:
    """Trees over one cue and over two, each as it is and by its rank among the options."""
    from sklearn.tree import DecisionTreeClassifier

    model = DecisionTreeClassifier(max_depth=DEPTH, min_samples_leaf=TREE_LEAF, random_state=0)
    of_row = [j for j in range(len(cued.names)) if _is_of_row(cued, j)]
    ranks = [_with_ranks(cued, j) for j in range(len(cued.names))]
    alone = {
        j: _chosen(_by_halves(ranks[j], cued, half, model), cued)
        for j in range(len(cued.names))
        if j not in of_row
    }
    for j, right in alone.items():
        yield ShallowReading(f"tree of “{cued.names[j]}”", right, problem.kind_of(cued.names[j]))
    others = sorted(alone, key=lambda j: -alone[j].mean())
    best = [  # of each kind of knowledge, so that cues that know much leave room for the rest
        [j for j in others if problem.kind_of(cued.names[j]) in KNOWING[:n]][:BEST_ALONE]
        for n in range(1, len(KNOWING) + 1)
    ]
    pairs = dict.fromkeys(p for own in best for p in itertools.combinations([*own, *of_row], 2))
    for j, k in pairs:
        if j in of_row and k in of_row:
            continue
        columns = np.concatenate([ranks[j], ranks[k]], axis=2)
        names = (cued.names[j], cued.names[k])
        right = _chosen(_by_halves(columns, cued, half, model), cued)
        yield ShallowReading("tree of “{}” and “{}”".format(*names), right, problem.kind_of(*names))


def _is_of_row(cued: Cued, j: int) -> bool:
    values = np.where(cued.is_option, cued.values[:, :, j], np.nan)
    return bool(np.all(np.nanmax(values, axis=1) == np.nanmin(values, axis=1)))


def _with_ranks(cued: Cued, j: int) -> FloatArray:
    """A cue, and its ranks from above and from below: shape (n, options, 3)."""
    values = np.where(cued.is_option, cued.values[:, :, j], np.nan)
    above = (values[:, :, None] < values[:, None, :]).sum(axis=2)
    below = (values[:, :, None] > values[:, None, :]).sum(axis=2)
    return np.stack([np.nan_to_num(values), above, below], axis=2)


def _by_halves(columns: FloatArray, cued: Cued, half: BoolArray, model: Any) -> FloatArray:
    """Of each option how right a model of columns has it, fitted on the other half."""
    scores = np.zeros(cued.is_option.shape)
    for fold in (half, ~half):
        fitted, read = (cued.is_option & part[:, None] for part in (~fold, fold))
        if len(set(cued.is_gold[fitted])) == 2:
            model.fit(columns[fitted], cued.is_gold[fitted])
            scores[read] = model.predict_proba(columns[read])[:, 1]
    return scores


def _boosted(cued: Cued, half: BoolArray, problem: Problem) -> Iterator[ShallowReading]:
    """Boosted trees over all cues of one kind of knowledge and of those that know less.

    Where a cue applies a rule, trees over all others learn it too, from the places of nouns and
    verbs: they are readers of the rule.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(max_iter=150, early_stopping=False, random_state=0)
    kinds = [problem.kind_of(name) for name in cued.names]
    ranks = [_with_ranks(cued, j) for j in range(len(kinds))]
    for most in ("rule",) if "rule" in kinds else KNOWING:
        known = KNOWING[: KNOWING.index(most) + 1]
        columns = [ranks[j] for j, kind in enumerate(kinds) if kind in known]
        if most in kinds and len(columns) > 1:
            scores = np.round(_by_halves(np.concatenate(columns, axis=2), cued, half, model), 9)
            yield ShallowReading("boosted trees over all cues", _chosen(scores, cued), most)


def _boosted_rows(
    decisions: Sequence[OptionChoice], cued: Cued, half: BoolArray, problem: Problem
) -> Iterator[ShallowReading]:
    """Boosted trees over what a row has, where all rows have the same options.

    They learn a row's option at once, such as a tag by the characters to both sides.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    of_row = [j for j in range(len(cued.names)) if _is_of_row(cued, j)]
    if len(of_row) < LEAST_OF_ROW or len({tuple(one.options) for one in decisions}) > 1:
        return
    model = HistGradientBoostingClassifier(
        max_iter=60, learning_rate=0.2, early_stopping=False, random_state=0
    )
    values, scores = cued.values[:, 0, of_row], np.zeros(cued.is_option.shape)
    for fold in (half, ~half):
        model.fit(values[~fold], cued.gold[~fold])
        scores[np.ix_(fold, model.classes_)] = np.round(model.predict_proba(values[fold]), 9)
    names = [cued.names[j] for j in of_row]
    says = "boosted trees over what a row has"
    yield ShallowReading(says, _chosen(scores, cued), problem.kind_of(*names))


def _log_linear(
    decisions: Sequence[OptionChoice], family: str, half: BoolArray, cued: Cued, strength: float
) -> FloatArray:
    """Weights of symbols: a logistic reader of options, right against wrong."""
    scores = np.zeros(cued.is_option.shape)
    for fold in (half, ~half):
        places = _frequent(decisions, [family], np.flatnonzero(~fold), LEAST)
        fitted, targets = _matrix(decisions, [family], np.flatnonzero(~fold), places)
        if not places or len(set(targets)) < 2:
            continue
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(C=strength, max_iter=200)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(fitted, targets)
        read, _ = _matrix(decisions, [family], np.flatnonzero(fold), places)
        scores[cued.is_option & fold[:, None]] = np.round(read @ model.coef_[0], 9)
    return _chosen(scores, cued)


def _random_trees(
    decisions: Sequence[OptionChoice], families: Sequence[str], half: BoolArray, cued: Cued
) -> FloatArray:
    """Random trees over all cues and the symbols of some families: what goes only together."""
    scores = np.zeros(cued.is_option.shape)
    ranks = np.concatenate([_with_ranks(cued, j) for j in range(len(cued.names))], axis=2)
    for fold in (half, ~half):
        places = _frequent(decisions, families, np.flatnonzero(~fold), TREE_LEAST, TREE_SYMBOLS)
        (fitted, targets), (read, _) = (
            _matrix(decisions, families, np.flatnonzero(part), places) for part in (~fold, fold)
        )
        if len(set(targets)) < 2:
            continue
        known, asked = (
            np.hstack([ranks[cued.is_option & part[:, None]], symbols.toarray()]).astype(np.float32)
            for part, symbols in ((~fold, fitted), (fold, read))
        )
        from sklearn.ensemble import ExtraTreesClassifier

        model = ExtraTreesClassifier(
            N_TREES, max_features=TREE_SHARE, min_samples_leaf=TREE_BRANCH, random_state=0
        ).fit(known, targets)
        found = model.predict_proba(asked)[:, 1]
        scores[cued.is_option & fold[:, None]] = np.round(found, 9)
    return _chosen(scores, cued)


def _frequent(
    decisions: Sequence[OptionChoice],
    families: Sequence[str],
    rows: "np.typing.NDArray[np.intp]",
    least: int,
    most: int | None = None,
) -> dict[str, int]:
    """Symbols that options of some decisions have at least so often, and the column of each."""
    counts = Counter(
        symbol
        for i in rows.tolist()
        for k in range(len(decisions[i].options))
        for symbol in {one for family in families for one in decisions[i].symbols[family][k]}
    )
    frequent = sorted((-n, symbol) for symbol, n in counts.items() if n >= least)[:most]
    return {symbol: j for j, symbol in enumerate(sorted(symbol for _, symbol in frequent))}


def _matrix(
    decisions: Sequence[OptionChoice],
    families: Sequence[str],
    rows: "np.typing.NDArray[np.intp]",
    places: Mapping[str, int],
) -> tuple[Any, list[bool]]:
    """Options of some decisions by symbols, and which are right."""
    columns: list[int] = []
    ends, targets = [0], []
    for i in rows.tolist():
        for k in range(len(decisions[i].options)):
            symbols = (one for family in families for one in decisions[i].symbols[family][k])
            columns += sorted({places[symbol] for symbol in symbols if symbol in places})
            ends.append(len(columns))
            targets.append(k == decisions[i].gold)
    shape = (len(targets), max(len(places), 1))
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(columns)), np.array(columns, int), ends), shape=shape), targets


def _coins(decisions: Sequence[OptionChoice], cued: Cued) -> Iterator[ShallowReading]:
    keys: Mapping[str, Callable[[int, OptionChoice, str], str]] = {
        "row": lambda i, one, text: f"{i} {text}",
        "unit": lambda i, one, text: f"{one.unit} {text}",
        "option": lambda i, one, text: text,
        "pair of options": lambda i, one, text: f"{text} of {' '.join(sorted(one.options))}",
    }
    for name, key in keys.items():
        values = np.full(cued.is_option.shape, -np.inf)
        for i, one in enumerate(decisions):
            for k, text in enumerate(one.options):
                values[i, k] = drawn_number(f"1|{key(i, one, text)}")
        yield ShallowReading(f"coin per {name}", _chosen(values, cued), "null")


def _best_of_kinds(
    parts: Sequence[tuple[Sequence[int], Sequence[ShallowReading]]],
    kinds: Sequence[str],
    half: BoolArray,
    n: int,
    most: Kind,
) -> ShallowReading:
    """Of each kind its best reader, chosen on the half that it was fitted on; n are scored.

    None of them knows more than `most`.
    """
    known = KNOWING[: KNOWING.index(most) + 1]
    right, says = np.zeros(len(half)), []
    for (places, found), kind in zip(parts, kinds, strict=True):
        allowed = [one for one in found if one.kind in known]
        for fold in (half[places], ~half[places]):
            best = max(allowed, key=lambda one: one.right[~fold].mean())
            right[np.array(places)[fold]] = best.right[fold]
        is_scored = np.array(places) < n
        best = max(allowed, key=lambda one: one.right[is_scored].mean())
        says.append(f"{kind}: {best.says} {100 * best.right[is_scored].mean():.0f}")
    knows = {one.kind for _, found in parts for one in found}.intersection(known)
    return ShallowReading("; ".join(says), right, max(knows, key=KNOWING.index))
