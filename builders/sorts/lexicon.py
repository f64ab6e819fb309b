"""The lexicon of a language: typed records of the tables in its folder, their links checked once.

A table's row is a record; words refer to each other by lemma. A language is a folder of tables:
functions of the engine take it as `tables`; its `language.toml` names the grammar that its tables
are written for. A folder with `extends.toml` adds its own rows to those of the one that this names.

Where the languages differ:

    # de bakker , een bakker         one form for every case: only pronouns have cases
    # de roman , het gedicht         two genders, of which masculine and feminine matter to pronouns
    # hij leest , lees jij           the second person singular has no -t before its pronoun
    # hij belt op , opbelt           a separable verb is two words, or one at the end

Tags, features and lemmas of Dutch forms are those of UD_Dutch-Alpino. There are no frequencies: no
list of Dutch words that may be passed on under this licence is at hand.
"""

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar, get_args

from ground.tables import DataFileError, check_values, read_settings, read_table

GERMAN = Path(__file__).parent / "data" / "german"
DUTCH = Path(__file__).parent / "data" / "dutch"

Case = Literal["nominative", "accusative", "dative", "genitive"]
Number = Literal["singular", "plural"]
Gender = Literal["masc", "fem", "neut"]
Ending = Literal["weak", "mixed", "strong"]
DutchEnding = Literal["definite", "indefinite"]
Animacy = Literal["animate", "inanimate", "institution"]
Selected = Literal["animate", "inanimate", "any"]
Grammar = Literal["german", "dutch"]
CASES: tuple[Case, ...] = get_args(Case)
PLURAL, BARE = ":pl", ":bare"
EXTENDS = "extends.toml"

Record = TypeVar("Record")


@dataclass(frozen=True)
class DutchNoun:
    """A noun: `gender` is neut for a het word; the others are de words."""

    # de vrouw , de man , de roman    het gedicht
    lemma: str
    gender_of_pronoun: Literal["masc", "fem", "common", "neut"]
    plural: str | None
    animacy: Animacy
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

    The finite forms are without the particle; `second_inverted` stands before its pronoun.
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
    subject_class: Selected
    object_class: Selected

    zipf: ClassVar[float | None] = None

    @property
    def object_case(self) -> Literal["acc"] | None:
        """The case of its object; None for an auxiliary."""
        return "acc" if "object" in self.governs else None


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
    number: Number
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


@dataclass(frozen=True)
class Noun:
    """A noun: its singular forms and its nominative plural; the lemma is the nominative."""

    lemma: str
    gender: Gender | None
    declension: Literal["strong", "weak", "mixed", "feminine", "adjectival"]
    accusative: str | None
    dative: str | None
    genitive: str | None
    plural: str | None
    animacy: Animacy
    is_bare: bool
    zipf: float | None


@dataclass(frozen=True)
class GermanVerb:
    """A verb: its present indicative, its class among tags, the case it governs, what it selects.

    The verb without an `object_case` is the auxiliary of the future.
    """

    infinitive: str
    first_singular: str
    second_singular: str
    third_singular: str
    first_plural: str
    second_plural: str
    third_plural: str
    tag: Literal["VV", "VA"]
    object_case: Literal["acc", "dat"] | None
    subject_class: Selected
    object_class: Selected
    counterexample: str | None
    zipf: float | None


@dataclass(frozen=True)
class Name:
    """A proper name in the singular; of two words the first is the head."""

    name: str
    kind: Literal["first_name", "organisation", "place"]
    gender: Gender | None
    zipf: float | None


@dataclass(frozen=True)
class Pronoun:
    """A pronoun with its forms per case; a second form in a cell is without ending, or weak.

    In Dutch `gender` is common for things with de: hij, hem.
    """

    kind: Literal["personal", "negative"]
    lemma: str
    person: int
    number: Number
    gender: Literal["masc", "fem", "common", "neut"] | None
    nominative: tuple[str, ...]
    accusative: tuple[str, ...]
    dative: tuple[str, ...]


@dataclass(frozen=True)
class Determiner:
    """A determiner: its kind, the declension of an adjective after it, its tag and its label."""

    lemma: str
    kind: Literal[
        "definite", "indefinite", "negative", "universal", "quantity", "possessive", "numeral",
        "demonstrative",
    ]  # fmt: skip
    ending: Ending
    xpos: str
    deprel: str


@dataclass(frozen=True)
class DeterminerForms:
    """The forms of a determiner before nouns of one gender, or before plurals."""

    lemma: str
    gender: Literal["masc", "fem", "neut", "plural"]
    nominative: str
    accusative: str
    dative: str
    genitive: str


@dataclass(frozen=True)
class AdjectiveEndings:
    """The endings of one adjective declension for one gender, or for plurals."""

    ending: Ending
    gender: Literal["masc", "fem", "neut", "plural"]
    nominative: str
    accusative: str
    dative: str
    genitive: str


@dataclass(frozen=True)
class Adjective:
    """An adjective: the stem that takes endings, its lemma and its degree."""

    stem: str
    lemma: str
    degree: Literal["positive", "superlative"]
    zipf: float | None


@dataclass(frozen=True)
class Tag:
    """The language's own tag of a kind of word; of verb forms what follows the verb's class."""

    kind: Literal["adjective", "finite", "infinitive", "name", "negative", "noun", "personal"]
    xpos: str


@dataclass(frozen=True)
class Triple:
    """Subject, verb and object that go together, and what properties put in their place.

    Phrases are as `phrases.parse_phrase` reads them.
    """

    family: str
    number: int
    subject: str | None
    verb: str
    object: str | None
    subject_syncretic: str | None
    object_syncretic: str | None
    institution: str | None
    institution_syncretic: str | None
    name: str | None
    synonym: str | None
    psych_verb: str | None
    psych_synonym: str | None
    inanimate: str | None
    inanimate_syncretic: str | None
    reverse: Literal["excluded", "implausible", "open"] | None

    @property
    def triple_id(self) -> str:
        """Family and number, as in config `conll`."""
        return f"{self.family}/{self.number:02d}"

    def cell(self, column: str) -> str | None:
        """Content of a column, by its name."""
        value: str | None = getattr(self, column)
        return value


Verb = GermanVerb | DutchVerb
AnyNoun = Noun | DutchNoun
AnyDeterminer = Determiner | DutchDeterminer
AnyAdjective = Adjective | DutchAdjective
PHRASES = ("subject", "object", "institution", "inanimate")
PHRASE_COLUMNS = tuple(f.name for f in fields(Triple) if f.name.startswith(PHRASES))
VERB_COLUMNS = ("verb", "synonym", "psych_verb", "psych_synonym")


class Lexicon(NamedTuple):
    """All tables of words, by lemma.

    Tags per kind of word are in `tags`; where they differ from form to form, in the last two.
    """

    nouns: Mapping[str, AnyNoun]
    verbs: Mapping[str, Verb]
    names: Mapping[str, Name]
    pronouns: Sequence[Pronoun]
    determiners: Mapping[str, AnyDeterminer]
    determiner_forms: Mapping[tuple[str, str], DeterminerForms | DutchDeterminerForm]
    adjective_endings: Mapping[tuple[str, str], AdjectiveEndings | DutchAdjectiveEnding]
    adjectives: Mapping[str, AnyAdjective]
    triples: tuple[Triple, ...]
    grammar: Grammar
    tags: Mapping[str, str]
    word_tags: Mapping[str, WordTag]
    pronoun_forms: Mapping[tuple[str, str], PronounForm]


RECORDS: Mapping[str, tuple[type, type]] = {  # by table: the German one, the Dutch one
    "nouns": (Noun, DutchNoun),
    "verbs": (GermanVerb, DutchVerb),
    "names": (Name, Name),
    "pronouns": (Pronoun, Pronoun),
    "determiners": (Determiner, DutchDeterminer),
    "determiner_forms": (DeterminerForms, DutchDeterminerForm),
    "adjective_endings": (AdjectiveEndings, DutchAdjectiveEnding),
    "adjectives": (Adjective, DutchAdjective),
}


@functools.cache
def read_lexicon(folder: Path = GERMAN) -> Lexicon:
    """All tables of words; a DataFileError where one is broken, or names what no table has."""
    is_dutch = (grammar := grammar_of(folder)) == "dutch"
    read: list[list[Any]] = [_rows(folder, name, of[is_dutch]) for name, of in RECORDS.items()]
    nouns, verbs, names, pronouns, determiners, forms, endings, adjectives = read
    tags = [] if is_dutch else _rows(folder, "tags", Tag)
    word_tags = _rows(folder, "word_tags", WordTag) if is_dutch else []
    pronoun_forms = _rows(folder, "pronoun_forms", PronounForm) if is_dutch else []
    lexicon = Lexicon(
        nouns={noun.lemma: noun for noun in nouns},
        verbs={verb.infinitive: verb for verb in verbs},
        names={name.name: name for name in names},
        pronouns=tuple(pronouns),
        determiners={determiner.lemma: determiner for determiner in determiners},
        determiner_forms={(row.lemma, row.gender): row for row in forms},
        adjective_endings={(row.ending, row.gender): row for row in endings},
        adjectives={row.lemma if is_dutch else row.stem: row for row in adjectives},
        triples=tuple(_rows(folder, "triples", Triple)),
        grammar=grammar,
        tags={row.kind: row.xpos for row in tags},
        word_tags={row.kind: row for row in word_tags},
        pronoun_forms={(row.form, row.number): row for row in pronoun_forms},
    )
    _check_cells(lexicon, folder / "nouns.tsv")
    _check_links(lexicon, folder / "triples.tsv")
    return lexicon


@functools.cache  # asked of every row
def grammar_of(folder: Path = GERMAN) -> Grammar:
    """The grammar that a language's tables are written for; its `language.toml` names it."""
    if (folder / EXTENDS).is_file():
        return grammar_of(_extended(folder))
    path = folder / "language.toml"
    grammar: Grammar = read_settings(path).get("grammar")  # type: ignore[assignment]  # checked next
    check_values(path, "grammar", [str(grammar)], get_args(Grammar))
    return grammar


def _extended(folder: Path) -> Path:
    return folder / str(read_settings(folder / EXTENDS)["folder"])


def _rows(folder: Path, name: str, record: type[Record]) -> list[Record]:
    """Rows of a table: the folder's own, after those of the one that it extends."""
    path = folder / f"{name}.tsv"
    if not (folder / EXTENDS).is_file():
        return read_table(path, record)
    own = read_table(path, record) if path.is_file() else []
    return _rows(_extended(folder), name, record) + own


def split_phrase(cell: str) -> tuple[list[str], str, str]:
    """Words before the noun of a phrase, the noun, and its mark.

    Example:
        >>> split_phrase("der alt Haus:pl"), split_phrase("Hilfe:bare")
        ((['der', 'alt'], 'Haus', ':pl'), ([], 'Hilfe', ':bare'))
    """
    *words, noun = cell.split(" ")
    mark = next((mark for mark in (PLURAL, BARE) if noun.endswith(mark)), "")
    return words, noun.removesuffix(mark), mark


def _check_links(lexicon: Lexicon, path: Path) -> None:
    for triple in lexicon.triples:
        place = f"triple {triple.family} {triple.number}"
        check_values(path, f"verb of {place}", _present(triple, VERB_COLUMNS), lexicon.verbs)
        check_values(path, f"name of {place}", _present(triple, ("name",)), lexicon.names)
        for cell in _present(triple, PHRASE_COLUMNS):
            words, noun, _ = split_phrase(cell)
            check_values(path, f"noun of {place}", [noun], lexicon.nouns)
            before = lexicon.determiners.keys() | lexicon.adjectives.keys()
            check_values(path, f"word of {place}", words, before)


def _present(triple: Triple, columns: Iterable[str]) -> Iterator[str]:
    return (cell for column in columns if (cell := triple.cell(column)) is not None)


def _check_cells(lexicon: Lexicon, path: Path) -> None:
    for noun in lexicon.nouns.values():
        if isinstance(noun, DutchNoun):
            continue
        cells = (noun.accusative, noun.dative, noun.genitive)
        has_singular = noun.gender is not None and noun.declension != "adjectival"
        if any((cell is not None) != has_singular for cell in cells):
            got, expected = " ".join(cell or "_" for cell in cells), "all three cases"
            if not has_singular:
                expected = "_ three times: it is adjectival or has no singular"
            raise DataFileError(f"{path}: cases of {noun.lemma}, got {got}; expected {expected}")
