"""Keys that a file would give away: of the Hub, of endpoints and clouds, plain or wrapped.

The patterns are those of detect-secrets, and a few of ours. A file is read as text, as UTF-16, with
broken lines joined, and what is compressed or in base64 in it is opened.
"""

import base64
import binascii
import functools
import importlib
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ground.tables import read_settings
from publish.build.manifest import entries

TABLE = read_settings(Path(__file__).with_name("secrets.toml"))
OWN: dict[str, str] = TABLE["own"]
WORDS = re.compile("|".join(OWN.values()))
BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{24,}={0,2}")
BROKEN = re.compile(rb"[\\\"'+ \t]*\r?\n[\"'+ \t]*")
SPLIT = re.compile(r"(?:hf_|api_org_|sk-|github_pat_)[A-Za-z0-9_-]*[\\\"'+ \t]*\r?\n")
WHOLE = re.compile(r"(?:hf_|api_org_|sk-|github_pat_)[A-Za-z0-9_-]{20,}")
PLAIN = frozenset(b"\0\t\n\r") | frozenset(range(32, 127))  # bytes of a text
GZIP = b"\x1f\x8b"
DEEPEST = 3  # wrappings that are opened
LARGEST = 64_000_000  # bytes that are unpacked of one stream
SUSPECT = "|".join([*OWN.values(), *TABLE["providers"]])  # in the words of RE2, which is fast
WRAPPED = "[A-Za-z0-9+/_-]{32}"
ROWS = 20_000  # looked through at a time


def secret_problems(folder: Path) -> list[str]:
    """One line for each file of a folder that holds what looks like a key."""
    return [
        f"{path}: text, got what looks like a key of {found}; expected none"
        for path in entries(folder)
        if path.is_file() and not path.is_symlink() and (found := secret_in_file(path))
    ]


def secret_in_file(path: Path) -> str:
    """Whose key a file holds, "" for none; of Parquet in its strings and metadata."""
    if path.suffix == ".parquet":
        return _secret_in_parquet(path)
    return secret_in(path.read_bytes())


def secret_in(content: bytes, depth: int = 0) -> str:
    """Whose key some bytes hold, "" for none.

    Example:
        >>> secret_in(b"token: hf_" + b"a1B2c3D4e5" * 3)
        'Hugging Face'
        >>> secret_in(b"no key at all")
        ''
    """
    found = filter(None, map(_secret_in_text, _texts(content)))
    if depth < DEEPEST:
        inner = (secret_in(one, depth + 1) for one in _unwrapped(content))
        found = filter(None, chain(found, inner))
    return next(found, "")


def _texts(content: bytes) -> Iterator[str]:
    yield content.decode("utf-8", "replace")
    if b"\0" in content:
        yield content.decode("utf-16-le", "replace")
        yield content.decode("utf-16-be", "replace")


def _secret_in_text(text: str) -> str:
    if pc.match_substring_regex(pa.array([text], pa.large_string()), SUSPECT)[0].as_py():
        if match := WORDS.search(text):
            return next(name for name, pattern in OWN.items() if re.match(pattern, match[0]))
        for kind, patterns in _provider_patterns():
            if any(pattern.search(text) for pattern in patterns):
                return kind
    if not SPLIT.search(text):  # else a key may stand on two lines
        return ""
    joined = BROKEN.sub(b"", text.encode("utf-8", "replace")).decode("utf-8", "replace")
    whole = WHOLE.findall(joined)
    return next((f"{one[:3]}, over two lines" for one in whole if _is_random(one)), "")


def _is_random(text: str) -> bool:
    """Whether a long word has digits and both cases, as a key has and names in code have not."""
    rest = text.partition("_")[2] or text.partition("-")[2]
    kinds = (r"\d", r"[a-z]", r"[A-Z]")
    return len(re.findall(r"\d", rest)) >= 3 and all(re.search(kind, rest) for kind in kinds)


@functools.cache
def _provider_patterns() -> list[tuple[str, list[re.Pattern[str]]]]:
    found = []
    for plugin in TABLE["plugins"]:
        module, _, name = plugin.partition(".")
        kind = getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)
        found.append((str(kind.secret_type), list(kind().denylist)))
    return found


def _unwrapped(content: bytes) -> Iterator[bytes]:
    """What is compressed or in base64 in some bytes."""
    start = content.find(GZIP)
    if start >= 0:
        with suppress(zlib.error):  # as far as it can be read
            unpack = zlib.decompressobj(zlib.MAX_WBITS | 16)
            yield unpack.decompress(content[start:], LARGEST)
    for match in BASE64.finditer(content):
        word = match[0].rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
        try:
            inner = base64.b64decode(word + b"=" * (-len(word) % 4))
        except (binascii.Error, ValueError):
            continue
        if inner.startswith(GZIP) or not set(inner) - PLAIN:
            yield inner


def _secret_in_parquet(path: Path) -> str:
    with suppress(pa.ArrowException, OSError), pq.ParquetFile(path) as file:
        columns = (one for batch in file.iter_batches(batch_size=ROWS) for one in batch.columns)
        found = map(_secret_in_column, columns)
        said = secret_in(str(file.metadata.metadata).encode())
        return said or next(filter(None, found), "")
    return ""  # bytes that are no Parquet differ from the manifest: a line says so


def _secret_in_column(column: pa.Array) -> str:
    kind = column.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _secret_in_column(column.flatten())
    if pa.types.is_struct(kind):
        return next(filter(None, map(_secret_in_column, column.flatten())), "")
    if pa.types.is_dictionary(kind):
        return _secret_in_column(column.dictionary)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        suspects = column.filter(pc.match_substring_regex(column, f"{SUSPECT}|{WRAPPED}"))
        return secret_in("\n".join(suspects.drop_null().to_pylist()).encode()) if suspects else ""
    return ""
