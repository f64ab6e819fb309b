"""Croissant: mlcroissant takes the file that the Hub makes of our columns, and reads the rows."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from datasets import ClassLabel, Features, List, Value

from dataset_scripts.registry import suite_builder, suite_names
from publish.build.parquet import features_of
from tests.support.cases import cases
from tests.support.croissant import croissant

N_ROWS = 5


def configs_of(name: str) -> dict[str, Features]:
    configs = suite_builder(name).BUILDER_CONFIGS
    return {config.name: config.features for config in configs if config.features is not None}


@pytest.mark.parametrize("name", suite_names())
def test_every_config_of_a_suite_is_described_whole(name):
    configs = configs_of(name)
    made = croissant(name, configs, ["test"])
    import mlcroissant

    found = mlcroissant.Dataset(jsonld=made).metadata
    fields = {s.id: [field.id for field in s.fields] for s in found.record_sets}
    for config, features in configs.items():
        wanted = [f"{config}/split", *(f"{config}/{column}" for column in features)]
        assert fields[config] == wanted


@pytest.mark.parametrize("name", suite_names())
def test_the_default_config_reads_as_parquet_does(name, hub, tmp_path):
    """Rows by way of Croissant are those of the file; its types are what the columns hold."""
    config = str(suite_builder(name).DEFAULT_CONFIG_NAME)
    path = sorted((hub / name / config).glob("*.parquet"))[0]
    rows = pq.read_table(path).slice(0, N_ROWS)
    pq.write_table(rows, tmp_path / "rows.parquet")
    made = at_hand(
        croissant(name, {config: features_of(path)}, ["test"]), config, tmp_path / "rows.parquet"
    )
    (tmp_path / "croissant.json").write_text(json.dumps(made), encoding="utf-8")
    import mlcroissant

    records = mlcroissant.Dataset(jsonld=tmp_path / "croissant.json").records(config)
    found = [dict(record) for record in records]
    assert len(found) == N_ROWS
    flat = [name for name, feature in features_of(path).items() if isinstance(feature, Value)]
    for record, row in zip(found, rows.to_pylist(), strict=True):
        assert set(record) >= {f"{config}/{column}" for column in row}
        for column in flat:
            assert same(record[f"{config}/{column}"], row[column]), column


def same(found: object, expected: object) -> bool:
    """Whether a value came through; texts come as bytes, and a missing one as None or nan."""
    if expected is None:
        return found is None or found != found
    return found == (expected.encode() if isinstance(expected, str) else expected)


def at_hand(made: dict[str, Any], config: str, path: Path) -> dict[str, Any]:
    """The same file with the rows of one Parquet file on this machine, without the splits."""
    file = {
        "@type": "cr:FileObject",
        "@id": "rows",
        "name": "rows",
        "contentUrl": path.name,
        "encodingFormat": "application/x-parquet",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    (rows,) = [part for part in made["recordSet"] if part["@id"] == config]
    fields = [pointed(field) for field in rows["field"] if field["@id"] != f"{config}/split"]
    return {**made, "distribution": [file], "recordSet": [{**rows, "field": fields}]}


def pointed(field: dict[str, Any]) -> dict[str, Any]:
    """A field whose source is the file at hand."""
    if "subField" in field:
        return {**field, "subField": [pointed(part) for part in field["subField"]]}
    source = {**field["source"], "fileObject": {"@id": "rows"}}
    source.pop("fileSet")
    return {**field, "source": source}


@pytest.mark.parametrize(*cases("croissant/a_doctored_field_is_refused"))
def test_a_doctored_field_is_refused(change):
    import mlcroissant

    number = {"a": Value("int64")}
    columns = {"id": Value("string"), "n": List(number), "c": ClassLabel(names=["x"])}
    made = croissant("a", {"c": Features(columns)}, ["test"])
    mlcroissant.Dataset(jsonld=made)
    made["recordSet"][1]["field"][1].update(change)
    with pytest.raises((mlcroissant.ValidationError, ValueError, KeyError, TypeError)):
        mlcroissant.Dataset(jsonld=made)
