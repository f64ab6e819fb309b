"""What misled a segmenter: the word that a local reading forms."""

from builders.columns import Row
from builders.mistakes import Mistake, Pairs, Readers


def _cut(row: Row, item: Row, pairs: Pairs) -> Mistake | None:
    if item["is_pair_correct"]:
        return None
    names = ("test_site", "site_start", "true_word", "canary_word")
    site, start, true, canary = map(row.__getitem__, names)
    cuts = {true: (true, site[2]), canary: (site[0], canary)}
    if row["branching"] == "right":
        cuts = {true: (site[0], true), canary: (canary, site[2])}
    right, read = " | ".join(cuts[true]), f"{true} is no word of its own"
    if item["is_canary"]:
        read = " | ".join(cuts[canary])
    elif item["is_true_word"]:
        read = f"{right}, but the control sentence is cut otherwise"
    elif item["is_both"] or item["is_neither"]:
        read = " | ".join(site) if item["is_both"] else f"{site}, without a cut"
    misled = f"{canary} is a word too, and its characters stand side by side in {site}."
    if canary not in row["control_site"]:
        was = "right" if item["is_control_word"] else "wrong"
        misled += f" With {row['control_site']}, where it cannot form, the system was {was}."
    text, end = row["test"], start + len(site)
    pieces = [(text[:start], ""), (site, "misled"), (text[end:], "")]
    told = item["is_canary"]
    return Mistake(row["id"], pieces, right, read, misled, told, row["paradigm_id"])


MISTAKES: Readers = {"garden_path_accuracy": _cut}
