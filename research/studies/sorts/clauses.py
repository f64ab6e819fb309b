"""Gold clauses of the suite by config and split."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SPLITS = ("part_amb", "amb")
GERMAN_OPENERS = frozenset(("deshalb", "weil"))


@dataclass(frozen=True, eq=False)
class GoldClauses:
    """Clauses to be parsed.

    Attributes:
        name: As given on the command line.
        columns: As in config `conll`, as lists.
        split: "part_amb" or "amb" where the clauses are German; else empty, and then no published
            figure stands beside theirs.
    """

    name: str
    columns: Mapping[str, list[Any]]
    split: str

    def __len__(self) -> int:
        """Number of clauses."""
        return len(self.columns["tokens"])

    @property
    def config_and_split(self) -> tuple[str, str]:
        """Config and split of the suite that they are."""
        config, _, split = self.name.partition("/")
        return config, split


def drawn_configs(names: Sequence[str]) -> list[str]:
    """The configs that gold clauses are of; without the authors' own."""
    from dataset_scripts.registry import suite_builder

    known = {one.name for one in suite_builder("sorts").CONFIGS if one.kind != "released"}
    return sorted({name.partition("/")[0] for name in names} & known)


def read_gold(name: str, *, released: Path | None = None, seed: int = 0) -> GoldClauses:
    """Gold clauses by `config/split`, of a draw or the authors'; a ValueError without trees."""
    from dataset_scripts.registry import split_table, suite_builder

    config, _, split = name.partition("/")
    configs = {c.name: c.kind == "released" for c in suite_builder("sorts").CONFIGS}
    if config not in configs or split not in SPLITS:
        raise ValueError(
            f"--gold, got {name!r}; expected one of {', '.join(configs)} and"
            f" /{' or /'.join(SPLITS)}"
        )
    options = {"released": released} if configs[config] else {"seed": seed}
    table = split_table("sorts", config, split, options)
    if "heads" not in table.column_names:
        raise ValueError(
            f"--gold, got {name!r}, which has no trees; expected a config with them, such as"
            f" conll/{split}"
        )
    columns = table.to_pydict()
    # Deshalb liest ...    Weil die Leserin ...
    is_german = any(tokens[0].lower() in GERMAN_OPENERS for tokens in columns["tokens"])
    return GoldClauses(name, columns, split if is_german else "")
