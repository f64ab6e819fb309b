"""What our metrics say of what a runner has collected, as flat numbers.

An item is a row of `suites` beside what the runner got for it: `values`, the log-probability of
each member, or `reply`, a text. Every function takes the items of a task, all or the first ones,
and leads with the suite's one headline; `_low` and `_high` are the ends of its 95 % interval, and
`_stderr` is its standard error over what was sampled together.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from metrics._shared.reply_answers import chosen_text, cut_text
from metrics._shared.uncertainty import cluster_error
from metrics.garden_path_accuracy import scoring as garden_path_accuracy
from metrics.garden_path_accuracy.options import read_options as garden_path_options
from metrics.matched_pair_accuracy import scoring as matched_pair_accuracy
from metrics.matched_pair_accuracy.inputs import CONVENTION_TYPES, COUNT_TYPE
from metrics.matched_pair_accuracy.options import read_options as matched_pair_options
from metrics.minimal_pair_preference import scoring as minimal_pair_preference
from metrics.minimal_pair_preference.options import read_options as preference_options
from metrics.minimal_pair_preference.scoring import best_choices, share
from metrics.morpheme_segmentation import scoring as morpheme_segmentation
from metrics.morpheme_segmentation.inputs import morphemes_of, split_segmentations
from metrics.morpheme_segmentation.options import read_options as segmentation_options
from metrics.pp_attachment_accuracy import scoring as pp_attachment_accuracy
from metrics.pp_attachment_accuracy.options import read_options as pp_attachment_options

Row = Mapping[str, Any]
Numbers = dict[str, float]
OUTSIDE_CORE = (*CONVENTION_TYPES, COUNT_TYPE)
MEMBERS = ("test", "control")
PAIR_NUMBERS = (
    *("pair_accuracy", "pair_accuracy_low", "pair_accuracy_high", "pair_accuracy_stderr"),
    *("chance", "unreadable"),
)


class Collected(NamedTuple):
    """One row of a task and its `reply`, or the log-probability of each member in `values`."""

    row: Row
    values: Sequence[float] = ()
    reply: str = ""


def preference(items: Sequence[Collected]) -> Numbers:
    """Share of pairs whose first member is preferred, the effect in nats, and its p.

    Two members, or four for a difference of differences; chance is 1/2.
    """
    values, rows = [item.values for item in items], [item.row for item in items]
    inputs = {"predictions": values, "references": rows}
    result = minimal_pair_preference.score(inputs, preference_options(per_item=True))
    wins = [(np.sign(pair["effect"]) + 1) / 2 for pair in result["by_pair"]]
    stderr = cluster_error(wins, [row["cluster"] for row in rows])
    effect = {name: result[name] for name in ("effect", "effect_p")}
    return _named(result, "accuracy") | {"accuracy_stderr": stderr} | effect


def choice(items: Sequence[Collected]) -> Numbers:
    """Share of rows whose first member, the right one, has the best SLLN; ties count in part.

    nan without `n_tokens`, which need the model's tokenizer; `accuracy_per_character` is always
    there.
    """
    clusters = np.unique([item.row["cluster"] for item in items], return_inverse=True)[1]
    options = preference_options()
    lengths = [[len(text) for text in item.row["continuations"]] for item in items]
    values = [item.values for item in items]
    result = dict.fromkeys(("accuracy", "accuracy_low", "accuracy_high"), float("nan"))
    stderr = float("nan")
    if all(item.row.get("n_tokens") for item in items):
        right = best_choices(values, [item.row["n_tokens"] for item in items], options.exponent)
        result |= _named(share(right, clusters, options, "accuracy"), "accuracy")
        stderr = cluster_error(right, clusters)
    chances = [1 / len(members) for members in values]
    return {
        **result,
        "accuracy_stderr": stderr,
        "accuracy_per_character": float(best_choices(values, lengths, 1.0).mean()),
        "chance": float(np.mean(chances)),
    }


def core_accuracy(items: Sequence[Collected]) -> Numbers:
    """CenterBench's `accuracy_core`, and how many replies could not be read."""
    replies, rows = [item.reply for item in items], [dict(item.row) for item in items]
    inputs = {"predictions": replies, "references": rows}
    result = matched_pair_accuracy.score(inputs, matched_pair_options(per_item=True))
    core = [row for row in result["per_item"] if row["question_type"] not in OUTSIDE_CORE]
    pairs = [row["pair_id"] for row in core]
    stderr = cluster_error([row["correct"] for row in core], pairs, [row["level"] for row in core])
    unread = {"unreadable": result["unparsed_rate"]}
    return _named(result, "accuracy_core") | {"accuracy_core_stderr": stderr} | unread


def pair_accuracy(items: Sequence[Collected]) -> Numbers:
    """ERAS's `pair_accuracy` of replies that cut both sentences of a pair, and its chance.

    A pair whose other sentence was not asked is left out (all nan where that leaves none); a reply
    that is not the sentence cuts nowhere, and counts as unreadable.
    """
    found: dict[str, dict[str, tuple[Collected, list[str]]]] = {}
    for item in items:
        name = item.row["member"]
        words = cut_text(item.reply, item.row[name])
        found.setdefault(item.row["id"], {})[name] = (item, words)
    pairs = [members for members in found.values() if len(members) == 2]
    if not pairs:
        return dict.fromkeys(PAIR_NUMBERS, float("nan"))
    cuts = [
        [members[name][1] or [members[name][0].row[name]] for name in MEMBERS] for members in pairs
    ]
    rows = [members["test"][0].row for members in pairs]
    inputs = {"predictions": cuts, "references": rows}
    result = garden_path_accuracy.score(inputs, garden_path_options(per_item=True))
    right = [row["is_pair_correct"] for row in result["per_item"]]
    unread = [not words for members in pairs for _, words in members.values()]
    return _of_pairs(result, "pair_accuracy", right, [row["paradigm_id"] for row in rows], unread)


def right_choices(items: Sequence[Collected]) -> Numbers:
    """Share of SORTS's questions that are answered rightly; chance is 1/2."""
    clusters = np.unique([item.row["cluster"] for item in items], return_inverse=True)[1]
    chosen = [chosen_text(item.reply, item.row["choices"], item.row["role"]) for item in items]
    right = np.array(
        [float(text == item.row["answer"]) for text, item in zip(chosen, items, strict=True)]
    )
    return {
        **_named(share(right, clusters, preference_options(), "accuracy"), "accuracy"),
        "accuracy_stderr": cluster_error(right, clusters),
        "unreadable": float(np.mean([text is None for text in chosen])),
    }


def topology_pairs(items: Sequence[Collected]) -> Numbers:
    """PP attachment's `topology_pair_accuracy` of replies that name the head, and its chance.

    A reply is the gold tree with the phrase on the word that it names: labels are given. Where it
    names none or several candidates the phrase is on no candidate. A pair whose other sentence was
    not asked is left out (all nan where that leaves none).
    """
    asked = Counter(item.row["pair_id"] for item in items)
    items = [item for item in items if asked[item.row["pair_id"]] == 2]
    if not items:
        return dict.fromkeys(PAIR_NUMBERS, float("nan"))
    named = [chosen_text(item.reply, item.row["choices"]) for item in items]
    rows, trees = [item.row for item in items], []
    for row, text in zip(rows, named, strict=True):
        tokens, heads = row["tokens"], list(row["heads"])
        nowhere = len(tokens) - 1  # the full stop
        head = next((word for word in row["candidates"] if tokens[word] == text), nowhere)
        heads[row["pp"]] = head + 1
        trees.append({"heads": heads, "deprels": list(row["deprels"])})
    inputs = {"predictions": trees, "references": rows}
    result = pp_attachment_accuracy.score(inputs, pp_attachment_options(per_item=True))
    right: dict[str, list[bool]] = {}
    for row in result["per_item"]:
        right.setdefault(row["pair_id"], []).append(row["is_right"])
    items_of = {item.row["pair_id"]: item.row["item_id"] for item in items}
    both, clusters = [all(members) for members in right.values()], [items_of[one] for one in right]
    unread = [text is None for text in named]
    return _of_pairs(result, "topology_pair_accuracy", both, clusters, unread)


def _of_pairs(
    result: Mapping[str, Any],
    score: str,
    right: Sequence[bool],
    clusters: Sequence[str],
    unread: Sequence[bool],
) -> Numbers:
    """The numbers of a task whose items are pairs, by the score of its metric."""
    ends = {f"pair_accuracy{end}": float(result[f"{score}{end}"]) for end in ("", "_low", "_high")}
    stderr = cluster_error([float(one) for one in right], clusters)
    told = {"chance": result[f"{score}_chance"], "unreadable": float(np.mean(unread))}
    return ends | {"pair_accuracy_stderr": stderr} | told


def morpheme_f1(items: Sequence[Collected]) -> Numbers:
    """F1 of morphseg; a reply that is not the word cuts nowhere, and counts as unreadable."""
    cut = []
    for item in items:
        word = item.row["word"]
        marked, *_ = morphemes_of(item.reply.strip(), word) or ([],)  # as tokenizers mark them
        cut.append(cut_text(item.reply, word) or marked)
    whole = [[item.row["word"]] for item in items]
    golds = [split_segmentations(item.row["alternatives"]) for item in items]
    predictions = [one or word for one, word in zip(cut, whole, strict=True)]
    inputs = {"predictions": predictions, "references": golds}
    result = morpheme_segmentation.score(inputs, segmentation_options())
    return _named(result, "f1") | {"unreadable": float(np.mean([not one for one in cut]))}


def _named(result: Mapping[str, Any], name: str) -> Numbers:
    return {key: float(result[key]) for key in (name, f"{name}_low", f"{name}_high")}
