"""The signature of a result: one line that says what was scored, by what and how, to do it again.

    suite:eras|config:simplified|split:test|draw:0|system:jieba|metric:gper|version:2.0.0|seed=0

Fields are joined by `|`, always in this order. `name:text` are what is known of the run, each left
out where it is unknown, then the metric and its VERSION; `name=value` are options that are not the
default, by name, and the seed where there is one, default or not.

    signature = { run "|" } "metric:" text "|version:" text { "|" option }
    run       = ("suite" / "edition" / "suite_version" / "config" / "split" / "draw" / "system"
                 / "revision") ":" text                              ; in this order, each once
    option    = name "=" ( text / JSON / "#" 12 hexadecimal digits ) ; by name, each once
    text      = one character or more; "%" and "|", and all but printable ASCII, as %XX of UTF-8

An option is JSON where it is no text, or a text that could be read as JSON or as a hash. What is
too long to quote (a lexicon, the predictions of another system) is the start of its SHA-256.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

from .columns import encodes, shown

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
    "reader, `read_signature`, are in `signature.py`."
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
    """What a signature says.

    Attributes:
        metric: Name of the metric.
        version: Its VERSION.
        run: What is known of the run, by the names of `RUN_FIELDS`.
        options: Options that are not the default, and the seed; plain values or a `Digest`.
    """

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
    found: dict[str, str] = {}
    options: dict[str, Any] = {}
    for part in text.split("|"):
        name, mark, value = re.fullmatch(r"(\w*)([:=]?)(.*)", part, re.DOTALL).groups()  # type: ignore[union-attr]
        if mark == "=":
            options[name] = _read_option(value)
        elif mark == ":":
            found[name] = unquote(value)
    if all(name in found for name in OWN_FIELDS) and all(found.values()):
        run = {name: value for name, value in found.items() if name not in OWN_FIELDS}
        read = Signature(found["metric"], found["version"], run, options)
        if str(read) == text:
            return read
    raise ValueError(
        f"signature, got {shown(text)}; expected fields joined by | in the order of "
        f"{', '.join([*RUN_FIELDS, *OWN_FIELDS])}, then options as name=value"
    )


def read_run(where: str, given: Any) -> dict[str, str]:
    """What is known of a run; a ValueError that begins with `where` for what no signature holds."""
    if not isinstance(given, Mapping):
        raise ValueError(f"{where}, got {shown(given)}; expected a mapping of {_names()}")
    if unknown := [name for name in given if name not in RUN_FIELDS]:
        raise ValueError(f"{where}, got {shown(unknown[0])}; expected {_names()}")
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
    is_bare = isinstance(value, str) and value and not HASH.fullmatch(value) and not _is_json(value)
    is_bare = is_bare and encodes(value)  # a lone surrogate is no UTF-8
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
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if not (isinstance(value, str) or is_number):
        raise ValueError(f"{where}, got {shown(value)}; expected text")
    text = str(value)
    if not text or text != text.strip() or len(text) > LONGEST or not encodes(text):
        raise ValueError(
            f"{where}, got {shown(text)}; expected at most {LONGEST} characters, none blank at "
            "either end"
        )
    return text


def _names() -> str:
    return ", ".join(RUN_FIELDS)
