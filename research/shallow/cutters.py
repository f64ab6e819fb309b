"""Cutters of words and sentences that read nothing, and one that knows two characters each side."""

import functools
import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from metrics._shared.columns import BoolArray
from research.shallow.cues import drawn_number

PIECE = re.compile(r"\w+|\W")
Cuts = list[list[str]]
Cut = Callable[[Sequence[str]], Cuts]
WINDOW = 2
AFTER = 0.1  # weight of what follows a word, beside how common a word is
FARTHEST = 9  # characters from an end that are counted
LONGEST_PIECE = 9  # characters of a piece that is looked for
VOWELS = frozenset("aeiouyäöüïõáéíóúâêîôû")
IS_CUT = 0.45  # F1 asks for more cuts than are likelier than not


def blind_cutters(rate: float, most: int = 4) -> Iterator[tuple[str, Cut]]:
    """Cutters that look at the length of a text alone.

    Coins fall at `rate`, the share of places that have a cut; `most` are a piece's characters.
    """
    yield "cuts everywhere", _each(list)
    yield "cuts nowhere", _each(lambda text: [text])
    for n in range(1, most + 1):
        yield f"cuts before the last {n}", _at_places(-n)
        yield f"cuts behind the first {n}", _at_places(n)
    for n, m in ((2, 4), (2, 5), (3, 5), (1, 3), (3, 6)):
        yield f"cuts before the last {n} and the last {m}", _at_places(-m, -n)
    for n in range(2, most + 1):
        for first in range(1, n + 1):
            yield f"cuts every {n}, first at {first}", _every(n, first)
        yield f"cuts every {n} from the end", _every(-n, -n)
        yield f"cuts every {n} from the end, between punctuation marks", _between(_every(-n, -n))
    yield "coin per place, at the true rate", _each(lambda text: _by_coins(text, rate))


def _each(cut: Callable[[str], list[str]]) -> Cut:
    return lambda texts: [cut(text) for text in texts]


def _at_places(*places: int) -> Cut:
    return _each(lambda text: cut_at(text, places))


def _every(n: int, first: int) -> Cut:
    """Cuts at `first` and every n characters from there, from the end where they are negative."""
    return _each(lambda text: cut_at(text, range(first, len(text) if n > 0 else -len(text), n)))


def _between(cut: Cut, pieces: re.Pattern[str] = PIECE) -> Cut:
    """Cuts each stretch between punctuation marks as a text of its own."""
    return _each(lambda text: [word for one in cut(pieces.findall(text)) for word in one])


def cut_between(characters: str, n: int) -> Cut:
    """Cuts every n from the end, between punctuation marks and some characters, each a word."""
    pieces = re.compile(rf"[{characters}]|\W|[^\W{characters}]+")
    return _between(_every(-n, -n), pieces)


def cut_at(text: str, places: Sequence[int] | range) -> list[str]:
    """A text cut at places, negative ones from the end.

    Example:
        >>> cut_at("boats", [-1, 9])
        ['boat', 's']
    """
    inside = {place if place > 0 else len(text) + place for place in places}
    ends = [0, *sorted(place for place in inside if 0 < place < len(text)), len(text)]
    return [text[i:j] for i, j in itertools.pairwise(ends)]


def _by_coins(text: str, rate: float) -> list[str]:
    drawn = (i for i in range(1, len(text)) if drawn_number(f"cut|{text}|{i}") < rate)
    return cut_at(text, [*drawn])


def length_cutter(golds: Sequence[Sequence[str]]) -> Cut:
    """Cuts a text as those of its length were cut most often where it is fitted."""
    counts: dict[int, Counter[tuple[int, ...]]] = {}
    for gold in golds:
        counts.setdefault(len("".join(gold)), Counter())[tuple(ends_of(gold))] += 1
    usual = {n: found.most_common(1)[0][0] for n, found in counts.items()}
    return _each(lambda text: cut_at(text, usual.get(len(text), ())))


def window_cutter(golds: Sequence[Sequence[str]], width: int = WINDOW) -> Cut:
    """A cut where some characters to each side speak for it: log-linear, as fitted."""
    places: dict[str, int] = {}
    columns, ends, targets = [], [0], []
    for text, cuts in _cuts_of(golds):
        for i in range(1, len(text)):
            columns += [places.setdefault(name, len(places)) for name in _around(text, i, width)]
            ends.append(len(columns))
            targets.append(i in cuts)
    shape = (len(targets), len(places))
    from scipy.sparse import csr_array
    from sklearn.linear_model import LogisticRegression

    matrix = csr_array(([1.0] * len(columns), columns, ends), shape=shape)
    model = LogisticRegression(max_iter=100).fit(matrix, targets)
    weights, bias = model.coef_[0], model.intercept_[0]

    def cut(asked: Sequence[str]) -> Cuts:
        found = []
        for text in asked:
            values = [
                bias
                + sum(weights[places[name]] for name in _around(text, i, width) if name in places)
                for i in range(1, len(text))
            ]
            found.append(cut_at(text, [i for i, value in enumerate(values, 1) if value > 0]))
        return found

    return cut


def ends_of(pieces: Sequence[str]) -> Iterator[int]:
    """Where a text is cut."""
    end = 0
    for piece in pieces[:-1]:
        yield (end := end + len(piece))


def _around(text: str, i: int, width: int) -> list[str]:
    """All strings of characters that reach up to the place, or over it; how far the ends are."""
    padded = "^" * width + text + "$" * width
    middle = i + width
    strings = [
        f"{n} {m} {padded[middle - n : middle + m]}"
        for n in range(width + 1)
        for m in range(width + 1)
        if n + m
    ]
    return [*strings, f"^{min(i, FARTHEST)}", f"{min(len(text) - i, FARTHEST)}$"]


def boosted_cutter(golds: Sequence[Sequence[str]], width: int) -> Cut:
    """A cut where boosted trees over some characters to each side and both ends speak for it."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    told = [(text, i, i in cuts) for text, cuts in _cuts_of(golds) for i in range(1, len(text))]
    model = HistGradientBoostingClassifier(
        max_iter=200, learning_rate=0.15, early_stopping=False, random_state=0
    ).fit([_numbers(text, i, width) for text, i, _ in told], [is_cut for *_, is_cut in told])

    def cut(asked: Sequence[str]) -> Cuts:
        places = [(k, i) for k, text in enumerate(asked) for i in range(1, len(text))]
        chosen: list[list[int]] = [[] for _ in asked]
        if places:
            shares = model.predict_proba([_numbers(asked[k], i, width) for k, i in places])[:, 1]
            for (k, i), share in zip(places, shares, strict=True):
                chosen[k] += [i] * bool(share > IS_CUT)
        return [cut_at(text, own) for text, own in zip(asked, chosen, strict=True)]

    return cut


def _cuts_of(golds: Sequence[Sequence[str]]) -> Iterator[tuple[str, set[int]]]:
    return (("".join(gold), {*ends_of(gold)}) for gold in golds)


def _numbers(text: str, i: int, width: int) -> list[int]:
    """How far the ends are, and the characters around a place, vowels behind consonants."""
    near = ("\0" * width + text + "\0" * width)[i : i + 2 * width]
    return [i, len(text) - i, *(ord(one) + 10_000 * (one in VOWELS) for one in near)]


def ending_cutter(golds: Sequence[Sequence[str]], n: int) -> Cut:
    """Takes the longest of the n commonest last pieces off, again and again."""
    counts = Counter(piece for gold in golds for piece in gold[1:])
    known = {piece for piece, _ in counts.most_common(n)}
    longest = max(map(len, known), default=0)

    def cut(texts: Sequence[str]) -> Cuts:
        found = []
        for text in texts:
            pieces: list[str] = []
            rest = text
            while True:
                for m in range(min(longest, len(rest) - 1), 0, -1):
                    if rest[-m:] in known:
                        pieces.insert(0, rest[-m:])
                        rest = rest[:-m]
                        break
                else:
                    break
            found.append([rest, *pieces])
        return found

    return cut


def dictionary_cutter(
    counts: Mapping[str, float], price: str, *, is_backward: bool, most: int | None = None
) -> Cut:
    """The cheapest way through a dictionary; ties go to the longest last or first word.

    Args:
        counts: Words and how often they are; a character alone is always a word.
        price: `words` (the fewest), or `likelihood` (the most probable words).
        is_backward: Whether ties are settled from the end.
        most: Characters of the longest word that is taken; by default any.
    """
    total = sum(counts.values()) or 1.0
    longest = most or max(map(len, counts), default=1)

    def cost(word: str) -> float:
        if price == "words":
            return 1.0
        return math.log(total) - math.log(max(counts.get(word, 0), 0.5))

    def one(text: str) -> list[str]:
        text = text[::-1] if is_backward else text
        best: list[tuple[float, int]] = [(0.0, 0)] * (len(text) + 1)
        for i in range(len(text) - 1, -1, -1):
            choices = []
            for j in range(min(len(text), i + longest), i, -1):
                word = text[i:j][::-1] if is_backward else text[i:j]
                if j == i + 1 or word in counts:
                    choices.append((cost(word) + best[j][0], i - j))
            price_, n = min(choices)
            best[i] = (price_, -n)
        words, i = [], 0
        while i < len(text):
            words.append(text[i : i + best[i][1]])
            i += best[i][1]
        return [word[::-1] for word in reversed(words)] if is_backward else words

    return lambda texts: [one(text) for text in texts]


def bigram_cutter(
    sentences: Sequence[Sequence[str]], counts: Mapping[str, float], most: int = 2
) -> Cut:
    """The likeliest words where each depends on the one before it, as often as divided texts say.

    `counts` of a dictionary stand for words that these lack; `most` are a word's characters.
    """
    seen = Counter(word for words in sentences for word in words)
    pairs = Counter(pair for words in sentences for pair in itertools.pairwise(["^", *words]))
    total, n = sum(counts.values()), seen.total()
    seen["^"] = len(sentences)

    @functools.cache
    def cost(before: str, word: str) -> float:
        alone = 0.2 * max(counts.get(word, 0), 0.3) / total + 0.8 * max(seen[word], 0.1) / n
        after = pairs[before, word] / seen[before] if seen[before] else 0.0
        return -math.log((1 - AFTER) * alone + AFTER * after)

    def one(text: str) -> list[str]:
        best: list[dict[str, tuple[float, list[str]]]] = [{"^": (0.0, [])}]
        for j in range(1, len(text) + 1):
            best.append({})
            for i in range(max(0, j - most), j):
                word = text[i:j]
                if j == i + 1 or word in counts or seen[word] > 1:
                    ways = ((v + cost(w, word), words) for w, (v, words) in best[i].items())
                    value, words = min(ways, key=lambda way: way[0])
                    best[j][word] = (value, [*words, word])
        return min(best[-1].values(), key=lambda way: way[0])[1]

    return lambda texts: [one(text) for text in texts]


def piece_cutter(golds: Sequence[Sequence[str]]) -> Cut:
    """The likeliest pieces: first ones and later ones as often as they are, new ones by letters."""
    shares = [
        _piece_costs([gold[0] for gold in golds]),
        _piece_costs([piece for gold in golds for piece in gold[1:]]),
    ]
    n_cuts = sum(len(gold) - 1 for gold in golds)
    per_cut = math.log(max(sum(map(len, golds)), 1) / max(n_cuts, 1))

    def one(text: str) -> list[str]:
        best: list[tuple[float, int]] = [(0.0, 0)]
        for j in range(1, len(text) + 1):
            starts = range(max(0, j - LONGEST_PIECE), j)
            ways = ((best[i][0] + shares[i > 0](text[i:j]) + per_cut * (i > 0), i) for i in starts)
            best.append(min(ways))
        ends = [len(text)]
        while ends[-1]:
            ends.append(best[ends[-1]][1])
        return cut_at(text, ends)

    return _each(one)


def _piece_costs(pieces: Sequence[str]) -> Callable[[str], float]:
    """Minus log of how likely a piece is; what was seen once tells how many are new."""
    counts = Counter(pieces)
    new = max(sum(n == 1 for n in counts.values()), 1) / max(len(pieces), 1)
    letters = [pair for piece in counts for pair in itertools.pairwise(f"^{piece}$")]
    pairs, firsts = Counter(letters), Counter(first for first, _ in letters)

    @functools.cache
    def cost(piece: str) -> float:
        spelt = 1.0
        for first, second in itertools.pairwise(f"^{piece}$"):
            spelt *= (pairs[first, second] + 0.05) / (firsts[first] + 1.5)
        seen = (1 - new) * counts[piece] / max(len(pieces), 1)
        return -math.log(seen + new * spelt)

    return cost


def by_halves(
    half: BoolArray, texts: Sequence[Sequence[str]], make: Callable[[BoolArray], Cut]
) -> list[list[list[str]]]:
    """Cuts of the texts of each row, of which each half is cut as was fitted on the other."""
    found: list[list[list[str]]] = [[] for _ in texts]
    for fold in (half, ~half):
        read = np.flatnonzero(fold).tolist()
        cuts = iter(make(~fold)([text for i in read for text in texts[i]]))
        for i in read:
            found[i] = [*itertools.islice(cuts, len(texts[i]))]
    return found
