"""Options of a metric, written once, and the signature of a result, which quotes them.

A metric's `options.py` holds one frozen dataclass of `option(...)` fields; the docstring of the
metric, the table of its card and the fields of its page are rendered from it.

A signature is one line that says what was scored, by what and how, to do it again::

    suite:eras|config:simplified|split:test|draw:0|system:jieba|metric:gper|version:2.0.0|seed=0

    signature = { run "|" } "metric:" text "|version:" text { "|" option }
    run       = ("suite" / "edition" / "suite_version" / "config" / "split" / "draw" / "system"
                 / "revision") ":" text              ; what is known of the run, in this order
    option    = name "=" ( text / JSON / "#" 12 hexadecimal digits )  ; by name, each once
    text      = one character or more; "%" and "|", and all but printable ASCII, as %XX of UTF-8

Options are those that are not the default, and the seed. An option is JSON where it is no text, or
a text that could be read as JSON or as a hash. What is too long to quote (a lexicon, the
predictions of another system) is the start of its SHA-256.
"""

import difflib
import hashlib
import json
import math
import numbers
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, TypeVar
from urllib.parse import quote, unquote

import numpy as np

from .columns import encodes, shown


def run_of_rows(rows: Any) -> dict[str, str]:
    """Suite, edition, config, split and VERSION that a `datasets.Dataset` says; {} for others."""
    info: Any = getattr(rows, "info", None)
    name, version = getattr(info, "dataset_name", None), str(getattr(info, "version", ""))
    is_numbered = version not in ("", "None", "0.0.0")
    if not name or (name == info.builder_name and not is_numbered):
        return {}  # a reader of files, such as `csv`, is no suite
    edition = "released" if str(info.config_name).startswith("released") else "generated"
    known = {"suite": name, "edition": edition, "config": info.config_name, "split": rows.split}
    known |= {"suite_version": version if is_numbered else None}
    return {key: str(value) for key, value in known.items() if value}


RUN_FIELDS = {
    "suite": "name of the suite",
    "edition": "generated or released",
    "suite_version": "VERSION of the suite",
    "config": "its config",
    "split": "its split",
    "draw": "seed of the draw, 0 for the published one; seed/size where the size is another",
    "system": "what was scored",
    "revision": "its version, commit or weights",
}
ABOUT = (
    "Every result has a `signature`: the line by which it can be done again, such as "
    "`suite:eras|draw:0|system:jieba|metric:gper|version:2.0.0|seed=0`. What is known of the run "
    "comes first (from the rows, if they are a `datasets.Dataset`, and from `run`), then the "
    "metric and its version, then the options that are not the default and the seed. Grammar and "
    "reader, `read_signature`, are in `option_fields.py`."
)
OWN_FIELDS = ("metric", "version")
LONGEST = 200
PLAIN = "".join(map(chr, range(0x20, 0x7F))).translate({ord(c): None for c in "%|"})
HASH = re.compile(r"#[0-9a-f]{12}")


@dataclass(frozen=True)
class Digest:
    """The start of the SHA-256 of an option that is too long to quote."""

    text: str


@dataclass(frozen=True)
class Signature:
    """What a signature says: the run, by names of `RUN_FIELDS`, and plain options or a `Digest`."""

    metric: str
    version: str
    run: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """The line."""
        own = {"metric": self.metric, "version": self.version}
        texts = {name: self.run[name] for name in RUN_FIELDS if name in self.run} | own
        fields = [f"{name}:{quote(text, safe=PLAIN)}" for name, text in texts.items()]
        fields += [f"{name}={_option(value)}" for name, value in sorted(self.options.items())]
        return "|".join(fields)


def read_signature(text: str) -> Signature:
    """What a signature says; `str` of it is the same text again.

    Raises:
        ValueError: It is no signature: a field is unknown, twice, missing or in another place.

    Example:
        >>> found = read_signature("suite:sorts|metric:subject_object_las|version:2.0.0|seed=0")
        >>> found.run["suite"], found.version, found.options
        ('sorts', '2.0.0', {'seed': 0})
    """
    parts = re.findall(r"(?:^|\|)(\w*)([:=]?)([^|]*)", text)
    found = {name: unquote(value) for name, mark, value in parts if mark == ":"}
    options = {name: _read_option(value) for name, mark, value in parts if mark == "="}
    if all(name in found for name in OWN_FIELDS) and all(found.values()):
        read = Signature(found.pop("metric"), found.pop("version"), found, options)
        if str(read) == text:
            return read
    raise ValueError(
        f"signature, got {shown(text)}; expected fields joined by | in the order of "
        f"{', '.join([*RUN_FIELDS, *OWN_FIELDS])}, then options as name=value"
    )


def read_run(where: str, given: Any) -> dict[str, str]:
    """What is known of a run; a ValueError that begins with `where` for what no signature holds."""
    names = ", ".join(RUN_FIELDS)
    if not isinstance(given, Mapping):
        raise ValueError(f"{where}, got {shown(given)}; expected a mapping of {names}")
    if unknown := [name for name in given if name not in RUN_FIELDS]:
        raise ValueError(f"{where}, got {shown(unknown[0])}; expected {names}")
    texts = {name: _read_text(f"{where}: {name}", value) for name, value in given.items()}
    return {name: texts[name] for name in RUN_FIELDS if name in texts}


def hashed(value: Any) -> Any:
    """A single value as it is; the `Digest` of a collection, in whatever type it came."""
    if value is None or isinstance(value, str | int | float):
        return value
    text = json.dumps(value, sort_keys=True, default=_listed)
    return Digest(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12])


def _listed(value: Any) -> Any:
    for method in ("to_pylist", "tolist"):
        if hasattr(value, method):
            return getattr(value, method)()
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    return list(value) if isinstance(value, Iterable) else type(value).__qualname__


def _option(value: Any) -> str:
    if isinstance(value, Digest):
        return f"#{value.text}"
    is_bare = isinstance(value, str) and value and not HASH.fullmatch(value)
    is_bare = is_bare and not _is_json(value) and encodes(value)  # a lone surrogate is no UTF-8
    return quote(value if is_bare else json.dumps(value, separators=(",", ":")), safe=PLAIN)


def _read_option(text: str) -> Any:
    if HASH.fullmatch(text):
        return Digest(text[1:])
    text = unquote(text)
    return json.loads(text) if _is_json(text) else text


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _read_text(where: str, value: Any) -> str:
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise ValueError(f"{where}, got {shown(value)}; expected text")
    text = str(value)
    if not text or text != text.strip() or len(text) > LONGEST or not encodes(text):
        expected = f"at most {LONGEST} characters, none blank at either end"
        raise ValueError(f"{where}, got {shown(text)}; expected {expected}")
    return text


@dataclass(frozen=True)
class Rule:
    """What one option may be.

    The last five are about a command line.
    """

    help: str  # what the option does, a phrase that follows a colon
    choices: tuple[str, ...] = ()  # empty where any value of `kind` in the range is allowed
    kind: type | None = None  # bool, int, float or str; None where `read` decides, or nothing does
    low: float = -math.inf
    high: float = math.inf
    is_open: bool = False  # `low` and `high` themselves are refused
    none: str = ""  # what None means; empty where None is refused
    read: Callable[[str, Any], Any] | None = None  # from a given value to the kept one, or an error
    expected: str = ""  # what `read` expects, in words
    is_quoted: bool = True  # by results; not what is long, no plain value, or changes their form
    is_signed: bool = True  # a signature has it; not what changes no figure
    parse: Callable[[str], Any] | None = None  # what reads its text
    metavar: str = ""  # how its help writes the value
    many: str = ""  # how many values there are: "+", "*", "?"
    flags: tuple[str, ...] = ()  # its name where that is another
    is_positional: bool = False

    def checked(self, where: str, value: Any) -> Any:
        """The value as the options keep it; a ValueError that begins with `where` for any other."""
        if value is None and self.none:
            return None
        if self.read is not None:
            return self.read(where, value)
        if self._fits(value):
            return float(value) if self.kind is float else int(value) if self.kind is int else value
        raise ValueError(f"{where}, got {shown(value)}; expected {self.domain()}")

    def domain(self) -> str:
        """What the option may be, in words, such as `a number above 0 and below 1, or None`."""
        return (self.expected or self._domain()) + (", or None" if self.none else "")

    def _fits(self, value: Any) -> bool:
        if self.choices:
            return isinstance(value, str) and value in self.choices
        if self.kind in (None, bool, str):
            return self.kind is None or isinstance(value, self.kind)
        wanted = numbers.Integral if self.kind is int else numbers.Real
        if isinstance(value, bool | np.timedelta64) or not isinstance(value, wanted):
            return False
        number: Any = value
        if self.is_open:
            return bool(self.low < number < self.high)
        return bool(self.low <= number <= self.high) and abs(number) != math.inf

    def _domain(self) -> str:
        if self.choices:
            return " or ".join(f'"{choice}"' for choice in self.choices)
        if self.kind in (bool, str):
            return "True or False" if self.kind is bool else "text"
        words = ("above", "below") if self.is_open else ("from", "to")
        ends = [
            f"{word} {end:,g}" if end % 1 else f"{word} {int(end):,}"
            for word, end in zip(words, (self.low, self.high), strict=True)
            if math.isfinite(end)
        ]
        noun = "a whole number" if self.kind is int else "a number"
        return " ".join([noun, (" and " if self.is_open else " ").join(ends)]).strip()


def option(
    default: Any, help: str, *, choices: Collection[str] = (), kind: type | None = None, **rule: Any
) -> Any:
    """Field of a class of options: those of a metric, a draw, a system or a command.

    Its kind is that of `default` unless `kind` names one, and `dataclasses.MISSING` is no default;
    `rule` is the rest of its `Rule`.

    Example:
        >>> @dataclass(frozen=True)
        ... class Options(CheckedOptions):
        ...     metric: ClassVar[str] = "gper"
        ...     threshold: float = option(0.5, "smallest score that counts", low=0, high=1)
        >>> Options(threshold=9)
        Traceback (most recent call last):
        ValueError: gper: threshold, got 9; expected a number from 0 to 1
    """
    if kind is None and not choices and isinstance(default, bool | int | float | str):
        kind = type(default)
    made = Rule(help, tuple(choices), kind, **rule)
    if isinstance(default, list | dict):  # no default of a dataclass may be changed in place
        return field(default_factory=default.copy, metadata={"rule": made})
    return field(default=default, metadata={"rule": made})


def confidence_option() -> Any:
    """Field `confidence`: the level of every interval."""
    rule: dict[str, Any] = {"low": 0, "high": 1, "is_open": True, "none": "no intervals"}
    return option(0.95, "two-sided level of the intervals", **rule)


def n_resamples_option() -> Any:
    """Field `n_resamples`: the number of bootstrap samples; a million is far past any use."""
    return option(2000, "bootstrap samples of each interval", low=100, high=1_000_000)


def seed_option(help: str = "seed of everything that is drawn at random") -> Any:
    """Field `seed`, a whole number from 0."""
    return option(0, help, low=0)


def per_item_option(help: str = "whether to add one flat row per item") -> Any:
    """Field `per_item`; results do not quote it, since it changes none of their figures."""
    return option(False, help, is_quoted=False, is_signed=False)


Given = TypeVar("Given", bound="CheckedOptions")


@dataclass(frozen=True)
class CheckedOptions:
    """Base of every metric's `Options`: each field is checked against its rule when one is made."""

    metric: ClassVar[str] = ""

    scalars: bool = option(
        False,
        "whether to give numbers only, without tables, texts and options, as trainers log them",
        is_quoted=False,
        is_signed=False,
    )
    run: Mapping[str, str] | None = option(
        None,
        "what the rows do not say of the run, for `signature`, by which it can be done again",
        read=read_run,
        expected=f"a mapping of {', '.join(RUN_FIELDS)}",
        none="what the rows say",
        is_quoted=False,
        is_signed=False,
    )

    def __post_init__(self) -> None:
        for name, rule in self.rules().items():
            value = rule.checked(f"{self.metric}: {name}", getattr(self, name))
            object.__setattr__(self, name, value)

    @classmethod
    def rules(cls) -> dict[str, Rule]:
        """Rule of every option, in the order of the fields."""
        return {item.name: item.metadata["rule"] for item in fields(cls)}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Default of every option."""
        return {item.name: item.default for item in fields(cls)}

    @classmethod
    def read(cls: type[Given], given: Mapping[str, Any]) -> Given:
        """Options from named values; a ValueError names one that the metric does not have."""
        known = list(cls.rules())
        if unknown := [name for name in given if name not in known]:
            expected = ", ".join(difflib.get_close_matches(unknown[0], known, n=1) or known)
            raise ValueError(f"{cls.metric}: option, got {unknown[0]!r}; expected {expected}")
        return cls(**given)

    @classmethod
    def of(cls: type[Given], **given: Any) -> Given:
        """Options from their names, as `read` has them."""
        return cls.read(given)

    @classmethod
    def documentation(cls) -> str:
        """Lines of the "Args:" block of the metric's docstring, indented by four."""
        return "\n".join(
            f"    {row['option']} ({row['values']}; default {row['default']}): {row['meaning']}."
            for row in cls.table()
        )

    @classmethod
    def table(cls) -> list[dict[str, str]]:
        """One row per option with `option`, `values`, `default` and `meaning`, as cards show it."""
        usual, table = cls.defaults(), []
        for name, rule in cls.rules().items():
            values = rule.domain() + (f" for {rule.none}" if rule.none else "")
            default = f'"{usual[name]}"' if isinstance(usual[name], str) else repr(usual[name])
            row = {"option": name, "values": values, "default": default, "meaning": rule.help}
            table.append(row)
        return table

    def resampling(self) -> dict[str, Any]:
        """How intervals are computed: `confidence`, `n_resamples`, `seed`."""
        return {name: getattr(self, name) for name in ("confidence", "n_resamples", "seed")}

    def quoted(self) -> dict[str, Any]:
        """Options as a result quotes them: plain values that JSON can hold."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, rule in self.rules().items()
            if rule.is_quoted
            for value in [getattr(self, name)]
        }

    def provenance(self, version: str, **found: Any) -> dict[str, Any]:
        """What a result says of itself: `version`, `options`, also those `found`, `signature`."""
        default = type(self)()
        usual, options = default.quoted(), self.quoted() | found
        unquoted = [n for n, rule in self.rules().items() if rule.is_signed and not rule.is_quoted]
        # what no result quotes, if long, by its hash
        mine, other = ({n: hashed(getattr(one, n)) for n in unquoted} for one in (self, default))
        signed = {name: value for name, value in mine.items() if value != other[name]}
        for name, value in options.items():
            if name == "seed" or name not in usual or value != usual[name]:
                signed[name] = value
        signature = Signature(self.metric, version, self.run or {}, signed)
        return {"version": version, "options": options, "signature": str(signature)}


def read_collection(where: str, value: Any, expected: str) -> list[Any]:
    """Members of a list, a set or the like; a ValueError that begins with `where` for no such."""
    is_single = isinstance(value, str | bytes) or not hasattr(value, "__iter__")
    if is_single or getattr(value, "ndim", 1) == 0:
        raise ValueError(f"{where}, got {shown(value)}; expected {expected}")
    return list(value)
