"""The forms of the authors' verbs: a past-tense phrase in, its other forms out.

The project's own verbs have their forms in a table. The authors' word lists are not part of the
project, so their verbs are inflected by `lemminflect` when their files are read;
`data/released_verbs.tsv` holds what it does not know.
"""

from dataclasses import dataclass
from pathlib import Path

from builders.centerbench.events import CenterVerb
from ground.tables import read_table

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class InflectionEntry:
    """What is particular about a phrase.

    Forms of its first word, the relative clause of its passive, an object before the tail.
    """

    verb: str
    base: str | None
    participle: str | None
    gerund: str | None
    third: str | None
    relative: str | None
    is_separable: bool


def inflect_phrases(phrases: list[str]) -> dict[str, CenterVerb]:
    """The verbs of past-tense phrases, such as "barked at": a form and what follows it.

    Raises:
        ModuleNotFoundError: `lemminflect` is not installed; it is needed for the authors' edition
            only.
    """
    entries = {
        entry.verb: entry for entry in read_table(DATA / "released_verbs.tsv", InflectionEntry)
    }
    return {phrase: _verb(phrase, entries.get(phrase)) for phrase in sorted(phrases)}


def _verb(phrase: str, entry: InflectionEntry | None) -> CenterVerb:
    past, _, tail = phrase.partition(" ")
    verb = _regular_verb(past)._replace(tail=tail)
    if entry is None:
        return verb
    particular = {
        name: getattr(entry, name) for name in ("base", "participle", "gerund", "third", "relative")
    }
    return verb._replace(
        is_separable=entry.is_separable, **{name: form for name, form in particular.items() if form}
    )


def _regular_verb(past: str) -> CenterVerb:
    """Inflects a past form; a hyphenated verb is inflected in its last part ("cross-examined")."""
    try:
        import lemminflect
    except ModuleNotFoundError as error:
        fix = "pip install 'garden-path[released]'"
        raise ModuleNotFoundError(
            f"centerbench: lemminflect, got none; expected it for the authors' rows: {fix}"
        ) from error

    prefix, hyphen, word = past.rpartition("-")
    base = lemminflect.getLemma(word, "VERB")[0]
    pasts, participles = (
        lemminflect.getInflection(base, "VBD"),
        lemminflect.getInflection(base, "VBN"),
    )
    is_parallel = word in pasts and len(pasts) == len(participles)
    participle = participles[pasts.index(word)] if is_parallel else participles[0]
    gerund, third = (
        lemminflect.getInflection(base, "VBG")[0],
        lemminflect.getInflection(base, "VBZ")[0],
    )
    return CenterVerb(*(prefix + hyphen + form for form in (base, word, participle, gerund, third)))  # type: ignore[arg-type]  # five strings
