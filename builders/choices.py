"""What rows offer a model to choose from: answers, controls, pairs of texts as BLiMP has them."""

from collections import Counter
from collections.abc import Iterator, Sequence

from builders.columns import Row
from metrics._shared.paradigms import PARADIGMS
from metrics.minimal_pair_preference.members import measures

UNDECIDED = ("first", "after_start")  # columns of rows that have no wrong text


def offered(rows: Sequence[Row]) -> Sequence[Row]:
    """Rows with choices; of pairs of ERAS, their control and that of the paradigm's next pair."""
    if "choices" in rows[0]:
        return rows
    controls: dict[int, list[str]] = {}
    for row in rows:
        controls.setdefault(row["paradigm_id"], []).append(row["control"])
    seen: Counter[int] = Counter()
    found = []
    for row in rows:
        others = controls[row["paradigm_id"]]
        seen[row["paradigm_id"]] += 1
        other = others[seen[row["paradigm_id"]] % len(others)]
        told = {"cluster": PARADIGMS[row["paradigm_id"] - 1].family}
        told |= {"sentence": row["test"], "answer": row["control"]}
        construction = f"{row['branching']} {row['true_sentiment']}/{row['canary_sentiment']}"
        found.append(told | {"construction": construction, "choices": [row["control"], other]})
    return found


def pairs_of(rows: Sequence[Row]) -> Iterator[dict[str, str]]:
    """Pairs of texts, the likelier one expected first; crossed texts make two pairs a row."""
    for row in rows:
        name, members = next(iter(measures(row).items()))
        texts = [one.text for one in members]
        couples = [(texts[0], other) for other in texts[1:]]
        if name != "choice" and len(texts) == 4:
            couples = [(texts[0], texts[1]), (texts[3], texts[2])]
        is_open = any(column in row for column in UNDECIDED)
        names = ("first", "second") if is_open else ("sentence_good", "sentence_bad")
        for i, couple in enumerate(couples):
            yield {"id": f"{row['id']}/{i}", **dict(zip(names, couple, strict=True))}
