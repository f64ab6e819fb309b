"""Gold clauses of the suite by config and split, or from a file of it or of the authors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from builders.sorts.gold import read_gold_conll
from builders.sorts.items import add_ids
from ground.tables import DataFileError

FILE_ENDINGS = (".conll", ".conllu", ".conll.gz", ".conllu.gz")
SPLITS = ("part_amb", "amb")
GERMAN_OPENERS = frozenset(("deshalb", "weil"))
COLUMNS = ("tokens", "heads", "deprels", "subject", "verb", "object", "word_order", "properties")


@dataclass(frozen=True, eq=False)
class GoldClauses:
    """Clauses to be parsed.

    Attributes:
        name: As given on the command line.
        columns: As in config `conll`, as lists.
        split: "part_amb" or "amb", as far as the name tells and the clauses are German; else
            empty, and then no published figure stands beside theirs.
        note: What they lack; empty for nothing.
    """

    name: str
    columns: Mapping[str, list[Any]]
    split: str
    note: str = ""

    def __len__(self) -> int:
        """Number of clauses."""
        return len(self.columns["tokens"])

    @property
    def config_and_split(self) -> tuple[str, str]:
        """Config and split of the suite that they are; both empty for a file."""
        config, _, split = self.name.partition("/")
        return ("", "") if self.name.endswith((".parquet", *FILE_ENDINGS)) else (config, split)


def drawn_configs(names: Sequence[str]) -> list[str]:
    """The configs that gold clauses are of; without files and without the authors' own."""
    from dataset_scripts.registry import suite_builder

    known = {one.name for one in suite_builder("sorts").CONFIGS if one.kind != "released"}
    return sorted({name.partition("/")[0] for name in names} & known)


def read_gold(name: str, *, released: Path | None = None, seed: int = 0) -> GoldClauses:
    """Reads gold clauses by name.

    Args:
        name: `config/split`, or a file ending in .parquet, .conll or .conllu (perhaps gzipped).
        released: The folder of the authors' files, for configs `released_*`.
        seed: Which draw of the suite.

    Raises:
        ValueError: There is no such config, split or file, or the file breaks its format.
    """
    split = next((split for split in SPLITS if split in name.replace("-", "_")), "")
    if name.endswith(".parquet"):
        gold = GoldClauses(name, _read_parquet(name), split)
    elif name.endswith(FILE_ENDINGS):
        gold = _with_ids(name, read_gold_conll(name), split)
    else:
        gold = _read_split(name, released, seed)
    return gold if _is_german(gold.columns) else replace(gold, split="")


def _is_german(columns: Mapping[str, list[Any]]) -> bool:
    """Whether clauses are German: the paper's figures stand beside no others."""
    # Deshalb liest ...    Weil die Leserin ...
    return any(tokens[0].lower() in GERMAN_OPENERS for tokens in columns["tokens"])


def _with_ids(name: str, columns: dict[str, list[Any]], split: str) -> GoldClauses:
    """Adds ids of items and triples to a file without, by the order of whole items."""
    if "triple_id" in columns:
        return GoldClauses(name, columns, split)
    try:
        return GoldClauses(
            name, add_ids({split or "clauses": columns}, name)[split or "clauses"], split
        )
    except DataFileError as error:
        return GoldClauses(
            name,
            columns,
            split,
            note=f"no item scores and no intervals, since they are no whole items ({error})",
        )


def _read_split(name: str, released: Path | None, seed: int) -> GoldClauses:
    from dataset_scripts.registry import split_table, suite_builder

    builder = suite_builder("sorts")
    config, _, split = name.partition("/")
    configs = {c.name: c.kind == "released" for c in builder.CONFIGS}
    if config not in configs or split not in SPLITS:
        raise ValueError(
            f"--gold, got {name!r}; expected a file, or one of {', '.join(configs)} and"
            f" /{' or /'.join(SPLITS)}"
        )
    is_released = configs[config]
    options = {"released": released} if is_released else {"seed": seed}
    table = split_table("sorts", config, split, options)
    if "heads" not in table.column_names:
        raise ValueError(
            f"--gold, got {name!r}, which has no trees; expected a config with them, such as"
            f" conll/{split}"
        )
    return GoldClauses(name, table.to_pydict(), split)


def _read_parquet(name: str) -> dict[str, list[Any]]:
    table = pq.read_table(name)
    if missing := [column for column in COLUMNS if column not in table.column_names]:
        raise ValueError(
            f"{name}: columns, got none named {', '.join(missing)}; expected rows of config conll"
        )
    columns: dict[str, list[Any]] = table.to_pydict()
    return columns
