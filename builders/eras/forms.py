"""What people are asked about ERAS: how sentences rank by sentiment, and how natural they are.

**ranking** is the study of the paper: triples of sentences, ranked from positive to negative, with
ties. A pair (t, c) is compared through {t, c1, c2} and {c, c1, c2} with the same two other control
sentences; three pairs share their triple of controls {c1, c2, c3}, and no fewer triples will do.
156 pairs a person are 208 triples, the paper's number. **naturalness** shows one sentence of a pair
to a person, never both, on seven steps.

Source: Li & Hao (2025), section 2.4; groups of three take both sentiments and no two paradigms that
share a word.
"""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from builders.eras import DRAW, VERSION
from builders.eras.assembly import pair_table
from builders.eras.draw import LITE_PAIRS, draw
from builders.eras.paradigms import DATA, read_paradigms
from builders.forms import FormItem, RatingForm, shuffled

N_BLOCKS = 5  # people who share out the 20 pairs of a paradigm
PAIRS_PER_BLOCK = 4
N_QUARTERS, PAIRS_PER_QUARTER = 4, 2
GROUP = 3  # pairs that share a triple of controls
TEST, CONTROL = "test", "control"


class Pair(NamedTuple):
    """A pair as a form shows it: `sentiment` is that of the true reading, + or -."""

    id: str
    paradigm_id: int
    family: str
    sentiment: str
    test: str
    control: str

    def sentences(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Side and text of either sentence."""
        return (TEST, self.test), (CONTROL, self.control)


class SiteTriple(NamedTuple):
    """Three sentences that are ranked together: ids of pairs, the first one's side told."""

    side: str
    first: str
    others: tuple[str, str]

    def sentences(self) -> list[str]:
        """Ids of its sentences, such as `07-00012/test`."""
        return [f"{self.first}/{self.side}", *(f"{other}/{CONTROL}" for other in self.others)]


def covering_triples(pairs: Sequence[str]) -> list[SiteTriple]:
    """As few triples as cover every pair; those of pairs that stand together, in threes.

    Where three do not divide the pairs, the last ones borrow controls of the first; a ValueError
    where there are fewer than three.
    """
    if len(pairs) < GROUP:
        raise ValueError(f"covering_triples: pairs, got {len(pairs)}; expected at least 3")
    found = []
    for start in range(0, len(pairs), GROUP):
        group = list(pairs[start : start + GROUP])
        a, b, c = [*group, *pairs[: GROUP - len(group)]]
        found.append(SiteTriple(CONTROL, a, (b, c)))
        others = {a: (b, c), b: (a, c), c: (a, b)}
        found += [SiteTriple(TEST, pair, others[pair]) for pair in group]
    return found


@functools.cache
def form_pairs() -> dict[int, list[Pair]]:
    """Pairs of the lite config, which forms may ask about, by paradigm."""
    families = {p.row.paradigm_id: p.row.family for p in read_paradigms()}
    drawn = draw(size=LITE_PAIRS * len(families))
    found: dict[int, list[Pair]] = {}
    for row in pair_table(drawn, "simplified").to_pylist():
        place = row["paradigm_id"]
        shown = (row["true_sentiment"], row["test"], row["control"])
        found.setdefault(place, []).append(Pair(row["id"], place, families[place], *shown))
    return found


def block_pairs(seed: int, block: int) -> list[list[Pair]]:
    """Groups of three pairs of a block, none in two blocks: three families, both sentiments."""
    found = []
    for turn in range(PAIRS_PER_BLOCK):
        place = block * PAIRS_PER_BLOCK + turn
        pairs = [chosen(seed, paradigm)[place] for paradigm in form_pairs()]
        n = len(pairs) // GROUP
        for attempt in range(100_000):
            order = shuffled(pairs, "eras groups", DRAW, seed, place, attempt)
            order.sort(key=lambda pair: pair.sentiment)
            groups = [order[i::n] for i in range(n)]
            if all(len({pair.family for pair in group}) == GROUP for group in groups):
                break
        else:
            got = f"groups of three, got none of seed {seed}"
            raise ValueError(f"eras forms: {got}; expected another seed")
        found += groups
    return found


def chosen(seed: int, paradigm: int) -> list[Pair]:
    """A paradigm's pairs in the order in which forms take them."""
    return shuffled(form_pairs()[paradigm], "eras forms", DRAW, seed, paradigm)


def ranking(seed: int, sheet: int) -> list[FormItem]:
    """Triples of a sheet, and the sentences of each, in an order of the sheet's own."""
    pairs = [pair for group in block_pairs(seed, sheet % N_BLOCKS) for pair in group]
    texts = {f"{p.id}/{side}": text for p in pairs for side, text in p.sentences()}
    items = []
    for triple in covering_triples([pair.id for pair in pairs]):
        name = f"{triple.first}/{triple.side}"
        order = shuffled(triple.sentences(), "eras triple", DRAW, seed, sheet, name)
        sentences = [{"id": one, "text": texts[one]} for one in order]
        items.append(FormItem(name, "rank", {"sentences": sentences}))
    return shuffled(items, "eras ranking", DRAW, seed, sheet)


def naturalness(seed: int, sheet: int) -> list[FormItem]:
    """Sentences of a sheet: two pairs of each paradigm, of one its test, of one its control."""
    quarter, turn = divmod(sheet % (2 * N_QUARTERS), 2)
    items = []
    for paradigm in form_pairs():
        start = quarter * PAIRS_PER_QUARTER
        for place, pair in enumerate(chosen(seed, paradigm)[start : start + PAIRS_PER_QUARTER]):
            side, text = pair.sentences()[(paradigm + place + turn) % 2]
            items.append(FormItem(f"{pair.id}/{side}", "rate", {"text": text}))
    return shuffled(items, "eras naturalness", DRAW, seed, sheet)


def _form(name: str, deal: Any, n_sheets: int, n_raters: int, minutes: int) -> RatingForm:
    texts = DATA / "forms.toml"
    return RatingForm("eras", name, VERSION, "zh-Hans", n_sheets, n_raters, minutes, texts, deal)


FORMS = (
    _form("ranking", ranking, N_BLOCKS, 10, 60),
    _form("naturalness", naturalness, 2 * N_QUARTERS, 24, 15),
)
