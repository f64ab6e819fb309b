"""The Dutch lexicon: typed records of its tables, as the engine takes those of German.

Where the languages differ:

    # de bakker , een bakker         one form for every case: only pronouns have cases
    # de roman , het gedicht         two genders, of which masculine and feminine matter to pronouns
    # hij leest , lees jij           the second person singular has no -t before its pronoun
    # hij belt op , opbelt           a separable verb is two words, or one at the end

Tags, features and lemmas of forms are those of UD_Dutch-Alpino. There are no frequencies: no list
of Dutch words that may be passed on under this licence is at hand.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

DutchEnding = Literal["definite", "indefinite"]


@dataclass(frozen=True)
class DutchNoun:
    """A noun: `gender` is neut for a het word; the others are de words."""

    # de vrouw , de man , de roman    het gedicht
    lemma: str
    gender_of_pronoun: Literal["masc", "fem", "common", "neut"]
    plural: str | None
    animacy: Literal["animate", "inanimate", "institution"]
    is_bare: bool
    is_diminutive: bool

    zipf: ClassVar[float | None] = None

    @property
    def gender(self) -> str:
        """What determiners and adjectives agree with: common or neut."""
        return "neut" if self.gender_of_pronoun == "neut" else "common"


@dataclass(frozen=True)
class DutchVerb:
    """A verb, or an auxiliary that governs an infinitive or a participle.

    Attributes:
        particle: That of a separable verb; the finite forms are those without it.
        second_inverted: The second person singular before its pronoun.
    """

    infinitive: str
    particle: str | None
    first_singular: str
    second_singular: str
    second_inverted: str
    third_singular: str
    plural: str
    participle: str | None
    governs: tuple[Literal["object", "infinitive", "participle"], ...]
    subject_class: Literal["animate", "inanimate", "any"]
    object_class: Literal["animate", "inanimate", "any"]

    zipf: ClassVar[float | None] = None

    @property
    def object_case(self) -> Literal["acc"] | None:
        """The case of its object; None for an auxiliary."""
        return "acc" if "object" in self.governs else None

    @property
    def first_plural(self) -> str:
        """One form for all persons: wij, jullie, zij lezen."""
        return self.plural

    @property
    def second_plural(self) -> str:
        """As `first_plural`."""
        return self.plural

    @property
    def third_plural(self) -> str:
        """As `first_plural`."""
        return self.plural


@dataclass(frozen=True)
class DutchName:
    """A first name."""

    name: str
    gender: Literal["masc", "fem"]

    zipf: ClassVar[float | None] = None
    kind: ClassVar[str] = "first_name"


@dataclass(frozen=True)
class DutchPronoun:
    """A pronoun with its forms per case: a second form in a cell is the weak one.

    `gender` is common for things with de: hij, hem.
    """

    kind: Literal["personal", "negative"]
    lemma: str
    person: int
    number: Literal["singular", "plural"]
    gender: Literal["masc", "fem", "common", "neut"] | None
    nominative: tuple[str, ...]
    accusative: tuple[str, ...]

    dative: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True)
class DutchDeterminer:
    """A determiner: its kind, whether it makes the phrase definite, its label."""

    lemma: str
    kind: Literal["definite", "indefinite", "negative", "universal", "quantity", "possessive"]
    ending: DutchEnding
    deprel: str


@dataclass(frozen=True)
class DutchDeterminerForm:
    """The form of a determiner before nouns of one gender, or before plurals."""

    lemma: str
    gender: Literal["common", "neut", "plural"]
    form: str
    lemma_of_form: str
    upos: str
    xpos: str
    feats: str | None


@dataclass(frozen=True)
class DutchAdjective:
    """An adjective without its ending, and with it."""

    lemma: str
    inflected: str


@dataclass(frozen=True)
class DutchAdjectiveEnding:
    """Whether an attributive adjective has its -e."""

    ending: DutchEnding
    gender: Literal["common", "neut", "plural"]
    is_inflected: bool


@dataclass(frozen=True)
class PronounForm:
    """Tag and features of one form of a pronoun; a weak form cannot be stressed."""

    form: str
    person: int
    number: Literal["singular", "plural"]
    xpos: str
    feats: str
    is_weak: bool


@dataclass(frozen=True)
class WordTag:
    """Tag and features of a kind of word."""

    kind: str
    upos: str
    xpos: str
    feats: str | None
