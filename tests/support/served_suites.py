"""Built suites on the Hub of the tests, whoever pushed them: some configs each, under `ns`."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from integrations import suites
from publish.build.cards import read_card
from tests.support.hub_repository import Repository
from tests.support.hub_server import HubServer, hub_server

NAMESPACE = "ns"


@pytest.fixture(scope="module")
def read_once() -> Iterator[None]:
    """While a module runs, rows of one config are read once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suites, "rows", functools.cache(suites.rows))
        yield


@contextmanager
def served(hub: Path, configs: Mapping[str, Sequence[str]]) -> Iterator[HubServer]:
    """A Hub that has these configs of suites out of a built folder."""
    with hub_server() as server:
        for suite, names in configs.items():
            files = {"README.md": card(hub / suite / "README.md", names).encode()}
            for name in names:
                for path in sorted((hub / suite / name).glob("*.parquet")):
                    files[f"{name}/{path.name}"] = path.read_bytes()
            repository = Repository("dataset", f"{NAMESPACE}/{suite}", None, False, [])
            repository.commits.append(repository.commit("built", files))
            server.repositories["dataset", repository.id] = repository
        yield server


def card(path: Path, configs: Sequence[str]) -> str:
    """A card that knows of some configs only."""
    front, prose = read_card(path)
    for name in ("configs", "dataset_info"):
        front[name] = [one for one in front[name] if one["config_name"] in configs]
    return f"---\n{yaml.safe_dump(front)}---\n{prose}"
