"""Private draws: a hash is published now, the draw later or never, and anybody can compare them.

    push.py build eras --seed SECRET --commit          the draw in private/, and its commitment
    push.py reveal private/eras.commitment.json --seed SECRET
    push.py reveal eras.commitment.json --rows DIR --salt SALT

A commitment is the SHA-256 of a salt and of the suite, its VERSION, its size and the canonical hash
of its rows. The salt is made of the secret, so that the secret alone opens it; who gets salt and
rows can compare them without the secret.

What it proves: the rows were fixed when the commitment was published, by a party that can open it.
What it does not: when that was (publish it where others keep the time, such as a commit on the
Hub), that nobody was shown the rows, that this was the only draw committed to (count the
commitments), or that whoever made it did not choose among many draws beforehand.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dataset_scripts.content import combined_hash, content_hash_of_files
from dataset_scripts.registry import suite_builder, suite_names, suite_stamp
from ground.files import write_whole
from ground.tables import read_text
from publish.build.parquet import features_of, split_paths

PRIVATE = "private"
LEAST_SECRET = 2**64
SCHEME = "sha256 of: salt, line feed, JSON of suite, version, size and content_hash"
FIELDS = ("suite", "version", "size", "commitment", "scheme")
HEX = frozenset("0123456789abcdef")


def check_private(name: str, options: Mapping[str, Any], *, views: bool) -> None:
    """Refuses what no private draw can be; the message does not repeat the seed."""
    seed = options.get("seed")
    if not isinstance(seed, int) or seed < LEAST_SECRET:
        raise ValueError(
            "--seed, got one that can be guessed; expected a whole number from 2^64 on, such as"
            ' python -c "import secrets; print(secrets.randbits(128))" prints'
        )
    if views or (others := sorted(set(options) - {"seed", "size"})):
        got = "--views" if views else f"--{others[0]}"
        raise ValueError(f"{name}: --commit, got it with {got}; expected --seed and --size alone")


def without_seed(provenance: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Provenance of a private draw: its commitment stands in the place of the seed."""
    draw = {name: provenance[name] for name in ("suite", "version")} | {"size": options.get("size")}
    rows = {"content_hash": provenance["content_hash"]}
    digest = commitment_of(salt_of(options["seed"], draw["suite"]), draw | rows)
    kept = {name: value for name, value in provenance["options"].items() if name != "seed"}
    made = draw | {"commitment": digest, "scheme": SCHEME}
    return {**provenance, "options": kept | {PRIVATE: digest[:12]}, "commitment": made}


def salt_of(seed: int, suite: str) -> str:
    """The salt of a draw, 64 hexadecimal digits; it does not tell the seed."""
    return hmac.new(str(seed).encode(), f"garden-path/{suite}".encode(), "sha256").hexdigest()


def commitment_of(salt: str, draw: Mapping[str, Any]) -> str:
    """The published hash.

    A draw is its `suite`, `version`, `size` and `content_hash`.

    Example:
        >>> draw = {"suite": "s", "version": "1.0.0", "size": None, "content_hash": "00"}
        >>> commitment_of("salt", draw)[:12]
        '46d2fc91243a'
    """
    text = json.dumps(dict(draw), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(f"{salt}\n{text}".encode()).hexdigest()


def write_commitment(made: Mapping[str, Any], out: Path) -> Path:
    """Writes a commitment beside the folder of its draw."""
    path = out / f"{made['suite']}.commitment.json"
    write_whole(path, json.dumps(dict(made), indent=1) + "\n")
    return path


def read_commitment(path: Path) -> dict[str, Any]:
    """A commitment; a ValueError where the file is none, or of a VERSION that is not the tree's."""
    try:
        found = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: JSON, got {error}; expected a commitment") from None
    if not isinstance(found, dict) or set(found) != set(FIELDS) or found["scheme"] != SCHEME:
        raise ValueError(f"{path}: fields, got others; expected {', '.join(FIELDS)} of this scheme")
    if (suite := found["suite"]) not in (known := suite_names()):
        raise ValueError(f"{path}: suite, got {suite!r}; expected one of {', '.join(known)}")
    return found


def verify_seed(path: Path, seed: int) -> str:
    """Draws again from the secret and compares; gives the salt, by which others can."""
    made = read_commitment(path)
    builder = suite_builder(made["suite"])
    if made["version"] != str(builder.VERSION):
        got = f"{path}: version, got {made['version']}; expected {builder.VERSION}"
        advice = "check out that version, or compare the rows with --rows and --salt"
        raise ValueError(f"{got}, which this tree draws: {advice}")
    options = {"seed": seed} | ({} if made["size"] is None else {"size": made["size"]})
    drawn = suite_stamp(made["suite"], options)["content_hash"]
    salt = salt_of(seed, made["suite"])
    _compare(path, made, salt, drawn)
    return salt


def verify_rows(path: Path, rows: Path, salt: str) -> None:
    """Compares published rows, `config/split-*.parquet`, with a commitment, by the salt."""
    if len(salt) != 64 or not set(salt) <= HEX:
        raise ValueError("--salt, got another text; expected 64 hexadecimal digits")
    made = read_commitment(path)
    _compare(path, made, salt, hash_of_files(made["suite"], rows))


def hash_of_files(suite: str, rows: Path) -> str:
    """Canonical hash of a built suite, from its Parquet files alone."""
    hashes = {}
    for config in suite_builder(suite).stamped_configs():
        paths = sorted((rows / config).glob("*.parquet"))
        if not paths:
            raise ValueError(f"{rows / config}: Parquet files, got none; expected those of {suite}")
        for split in sorted({path.name.split("-")[0] for path in paths}):
            files = split_paths(rows / config, split)
            hashes[f"{config}/{split}"] = content_hash_of_files(files, features_of(files[0]))
    return combined_hash(hashes)


def _compare(path: Path, made: Mapping[str, Any], salt: str, rows_hash: str) -> None:
    draw = {name: made[name] for name in ("suite", "version", "size")}
    found, expected = commitment_of(salt, draw | {"content_hash": rows_hash}), made["commitment"]
    if not hmac.compare_digest(found, str(expected)):
        got = f"{path}: commitment, got {found[:12]}; expected {str(expected)[:12]}"
        raise ValueError(f"{got}: this is another draw, or another salt")
