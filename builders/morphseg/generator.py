"""Invented languages: word lists with gold segmentations whose data characteristics are dials.

A language is an inventory of roots and affixes drawn from a seed; a word is a root or two with the
affixes of some of its slots. Some combinations of root and affix are lexicalised, that is one
morpheme in the gold, as dictionaries have them. A form that comes about in two ways keeps both
analyses. The first n words of a longer list are the shorter list.

Source: the characteristics of Liu & Prud'hommeaux (2022), 7.3, which these dials move.
"""

import functools
import pickle
import random
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, count, islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from builders.morphseg.sampling import derive_seed
from builders.morphseg.sources import Analysis, Word, merge_analyses
from ground.hashes import HashSet
from ground.tables import DataFileError, read_settings

PROFILES = Path(__file__).parent / "data" / "synthetic.toml"
DEFAULT_SIZE = 10_000
Value = TypeVar("Value")
LARGEST_SIZE = 10_000_000
WORDS_PER_BATCH = 10_000
LARGEST_N_TRIALS = 200  # draws per word before a language counts as exhausted


@dataclass(frozen=True)
class AffixSlot:
    """A place for an affix, before or after the root, in the order of the table."""

    name: str
    side: Literal["prefix", "suffix"]
    n_affixes: int
    probability: float
    shapes: Mapping[str, float]  # weights of the affixes' shapes, such as CVC


@dataclass(frozen=True)
class Profile:
    """The dials of an invented language; the last five but for `slots` are shares."""

    name: str
    morphology: str
    consonants: tuple[str, ...]  # from frequent to rare
    vowels: tuple[str, ...]
    harmony: tuple[str, ...]  # pairs of vowels that alternate, as two characters
    phoneme_slope: float  # Zipf's
    n_roots: int
    root_shapes: Mapping[str, float]
    root_slope: float  # the steeper, the more words share a root
    affix_slope: float
    compounds: float
    harmony_share: float  # of the affixes, whose vowels alternate
    liaison: float  # of the suffixes, which lose a vowel after one or gain one between consonants
    stem_alternation: float  # of the roots, which have a second stem before vowels
    lexicalised: float  # of the pairs of root and neighbouring affix: one morpheme in the gold
    slots: tuple[AffixSlot, ...]


class Root(NamedTuple):
    """A root's stem, and the stem it has before a vowel."""

    form: str
    before_vowel: str


class Affix(NamedTuple):
    """An affix as it is without neighbours, and whether it takes part in harmony and liaison."""

    form: str
    is_harmonic: bool
    has_liaison: bool


@functools.cache
def profiles() -> dict[str, Profile]:
    """Invented languages by name, as `data/synthetic.toml` describes them."""
    return {name: _profile(name, values) for name, values in read_settings(PROFILES).items()}


def generate_batches(profile: Profile, size: int, seed: int) -> Iterator[list[Word]]:
    """Words of an invented language in lists of `WORDS_PER_BATCH`; memory hardly grows with them.

    The last word drawn may be another origin of the first, so that the words wait on disk until
    all are drawn; sixteen bytes of each are kept, and the further analyses of those that have some.
    """
    if not 1 <= size <= LARGEST_SIZE:
        expected = f"1 to {LARGEST_SIZE:,} words, which take some ten minutes and 0.5 GB"
        raise ValueError(f"{profile.name}: size, got {size}; expected {expected}")
    others: dict[str, list[Analysis]] = {}
    with tempfile.TemporaryFile() as waiting:
        analyses = _first_analyses(profile, size, seed, others)
        while batch := list(islice(analyses, WORDS_PER_BATCH)):
            pickle.dump(batch, waiting)
        waiting.seek(0)
        for _ in range(0, size, WORDS_PER_BATCH):
            batch = pickle.load(waiting)
            further = (analysis for word, _ in batch for analysis in others.get(word, ()))
            yield merge_analyses([*batch, *further])


def _first_analyses(
    profile: Profile, size: int, seed: int, others: dict[str, list[Analysis]]
) -> Iterator[Analysis]:
    """The first analysis of each word; further ones that segment otherwise go to `others`."""
    words, segmentations = HashSet(), HashSet()
    invented = InventedLanguage(profile, seed)
    for trial in count():
        word, morphs = analysis = invented.analysis()
        is_new = segmentations.add(" ".join(morph for morph, _ in morphs))
        is_new_word = is_new and words.add(word)
        if is_new_word and len(words) > size:
            return
        if trial >= LARGEST_N_TRIALS * size:
            expected = f"at most about {len(words)} words from these dials"
            raise ValueError(f"{profile.name}: size, got {size}; expected {expected}")
        if is_new_word:
            yield analysis
        elif is_new:
            others.setdefault(word, []).append(analysis)


class InventedLanguage:
    """A language drawn from a profile: its roots and affixes, and its words."""

    def __init__(self, profile: Profile, seed: int) -> None:
        self.profile = profile
        rng = random.Random(derive_seed("morphseg", profile.name, seed, "inventory"))
        self._words = random.Random(derive_seed("morphseg", profile.name, seed, "words"))
        self._counterparts = {pair[i]: pair[1 - i] for pair in profile.harmony for i in (0, 1)}
        self._back, self._front = ({pair[i] for pair in profile.harmony} for i in (0, 1))
        self.roots = []
        for form in self._forms(rng, profile.root_shapes, profile.n_roots):
            before_vowel = form
            if rng.random() < profile.stem_alternation:
                # a stem loses its last vowel before a vowel, or changes its last consonant
                is_vowel = form[-1] in profile.vowels
                before_vowel = form[:-1] + ("" if is_vowel else self._phoneme(rng, "C"))
            self.roots.append(Root(form, before_vowel))
        self.affixes = {
            slot.name: [
                Affix(form, rng.random() < profile.harmony_share, rng.random() < profile.liaison)
                for form in self._forms(rng, slot.shapes, slot.n_affixes)
            ]
            for slot in profile.slots
        }
        self._draw_root = _zipf_sampler(self.roots, profile.root_slope)
        slope = profile.affix_slope
        self._draw_affix = {name: _zipf_sampler(own, slope) for name, own in self.affixes.items()}
        self._lexicalisation_seed = derive_seed("morphseg", profile.name, seed, "lexicon")

    def analysis(self) -> Analysis:
        """The next word with its morphs and tags; words repeat, without end."""
        rng = self._words
        chosen = {
            slot.name: self._draw_affix[slot.name](rng)
            for slot in self.profile.slots
            if rng.random() < slot.probability
        }
        roots = [self._draw_root(rng)]
        if rng.random() < self.profile.compounds:
            roots.append(self._draw_root(rng))
        sides = {slot.name: slot.side for slot in self.profile.slots}
        suffixes = [(affix, tag) for tag, affix in chosen.items() if sides[tag] == "suffix"]
        morphs = [(affix.form, tag) for tag, affix in chosen.items() if sides[tag] == "prefix"]
        morphs += [(root.form, "ROOT") for root in roots[:-1]]
        is_before_vowel = bool(suffixes) and suffixes[0][0].form[:1] in self.profile.vowels
        morphs.append((roots[-1].before_vowel if is_before_vowel else roots[-1].form, "ROOT"))
        for affix, tag in suffixes:
            morphs.append((self._allomorph(affix, "".join(morph for morph, _ in morphs)), tag))
        morphs = self._merge_lexicalised(morphs)
        return "".join(morph for morph, _ in morphs), morphs

    # talo + ssA -> talo ssa, kylä + ssA -> kylä ssä (harmony); kala + en -> kala n, kalam + t ->
    # kalam et (liaison)
    def _allomorph(self, affix: Affix, stem: str) -> str:
        form = self._harmonise(affix.form, stem) if affix.is_harmonic else affix.form
        if not affix.has_liaison:
            return form
        vowels = self.profile.vowels
        if stem[-1] in vowels and form[0] in vowels and len(form) > 1:
            return form[1:]
        if stem[-1] not in vowels and form[0] not in vowels:
            return self._harmonise(vowels[0], stem) + form
        return form

    def _harmonise(self, form: str, stem: str) -> str:
        last = next((c for c in reversed(stem) if c in self._counterparts), "")
        if not last:
            return form
        odd = self._back if last in self._front else self._front
        return "".join(self._counterparts[c] if c in odd else c for c in form)

    def _merge_lexicalised(self, morphs: list[tuple[str, str]]) -> list[tuple[str, str]]:
        place = next(i for i, (_, tag) in reversed(list(enumerate(morphs))) if tag == "ROOT")
        for start in (place, place - 1):
            pair = morphs[start : start + 2] if start >= 0 else []
            if len(pair) == 2:
                seed = derive_seed(self._lexicalisation_seed, *pair)
                if random.Random(seed).random() < self.profile.lexicalised:
                    whole = (pair[0][0] + pair[1][0], "ROOT")
                    return [*morphs[:start], whole, *morphs[start + 2 :]]
        return morphs

    def _forms(self, rng: random.Random, shapes: Mapping[str, float], n: int) -> list[str]:
        draw_shape = _sampler(list(shapes), list(shapes.values()))
        found: dict[str, None] = {}
        for _ in range(LARGEST_N_TRIALS * n):
            form = ""
            for kind in draw_shape(rng):
                form += self._harmonise(self._phoneme(rng, kind), form)
            found[form] = None
            if len(found) == n:
                return list(found)
        got = f"{len(found)} forms of shapes {', '.join(shapes)}"
        raise ValueError(f"{self.profile.name}: inventory, got {got}; expected {n}")

    def _phoneme(self, rng: random.Random, kind: str) -> str:
        phonemes = self.profile.consonants if kind == "C" else self.profile.vowels
        return _zipf_sampler(phonemes, self.profile.phoneme_slope)(rng)


def _sampler(values: Sequence[Value], weights: Sequence[float]) -> Callable[[random.Random], Value]:
    ends = list(accumulate(weights))
    return lambda rng: values[min(bisect_right(ends, rng.random() * ends[-1]), len(values) - 1)]


def _zipf_sampler(values: Sequence[Value], slope: float) -> Callable[[random.Random], Value]:
    return _sampler(values, [(rank + 1) ** -slope for rank in range(len(values))])


def _profile(name: str, values: dict[str, Any]) -> Profile:
    fields: Any = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
    fields["slots"] = tuple(AffixSlot(**slot) for slot in values["slots"])
    try:
        return Profile(name=name, **fields)
    except TypeError as error:
        got = f"got {error}; expected the dials of a profile"
        raise DataFileError(f"{PROFILES}: {name}, {got}") from None
