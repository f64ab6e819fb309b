"""The Croissant file that the Hub makes of a data set: restated from the dataset viewer's rules.
The viewer makes record sets and fields from the Features; the Hub adds name, licence and
address."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from datasets import ClassLabel, Features, LargeList, List, Value

from ground.tables import read_settings

RULES = read_settings(Path(__file__).with_name("croissant.toml"))
REPOSITORY = "repo"


def croissant(name: str, configs: Mapping[str, Features], splits: list[str]) -> dict[str, Any]:
    """JSON-LD of a data set `ns/<name>` as the Hub serves it.

    Args:
        name: The suite.
        configs: Columns and types of each config.
        splits: Names of the splits of every config.
    """
    repository = {
        "@type": "cr:FileObject",
        "@id": REPOSITORY,
        "name": REPOSITORY,
        "description": "The Hugging Face git repository.",
        "contentUrl": f"https://huggingface.co/datasets/ns/{name}/tree/refs%2Fconvert%2Fparquet",
        "encodingFormat": "git+https",
        "sha256": "https://github.com/mlcommons/croissant/issues/80",
    }
    sets = [part for c, features in configs.items() for part in record_sets(c, features, splits)]
    return {
        "@context": RULES["context"],
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": name,
        "description": f"ns/{name}",
        "license": "https://choosealicense.com/licenses/cc-by-4.0/",
        "url": f"https://huggingface.co/datasets/ns/{name}",
        "distribution": [repository, *(files_of(config) for config in configs)],
        "recordSet": sets,
    }


def files_of(config: str) -> dict[str, Any]:
    """The Parquet files of a config."""
    return {
        "@type": "cr:FileSet",
        "@id": file_set(config),
        "containedIn": {"@id": REPOSITORY},
        "encodingFormat": "application/x-parquet",
        "includes": f"{config}/*/*.parquet",
    }


def file_set(config: str) -> str:
    return f"parquet-files-for-config-{config}"


def record_sets(config: str, features: Features, splits: list[str]) -> list[dict[str, Any]]:
    """The splits of a config, and its rows with a field for each column that Croissant has."""
    split_name = f"{config}_splits/split_name"
    names = {
        "@type": "cr:RecordSet",
        "dataType": "cr:Split",
        "key": {"@id": split_name},
        "@id": f"{config}_splits",
        "name": f"{config}_splits",
        "description": f"Splits for the {config} config.",
        "field": [{"@type": "cr:Field", "@id": split_name, "dataType": "sc:Text"}],
        "data": [{split_name: split} for split in splits],
    }
    of_split = {
        "@type": "cr:Field",
        "@id": f"{config}/split",
        "dataType": "sc:Text",
        "source": {
            "fileSet": {"@id": file_set(config)},
            "extract": {"fileProperty": "fullpath"},
            "transform": {"regex": f"{config}/(?:partial-)?({'|'.join(splits)})/.+parquet$"},
        },
        "references": {"field": {"@id": split_name}},
    }
    fields = [field_of(config, (column,), feature) for column, feature in features.items()]
    rows = {
        "@type": "cr:RecordSet",
        "@id": config,
        "description": f"the {config} subset",
        "field": [of_split, *(field for field in fields if field is not None)],
    }
    return [names, rows]


def field_of(
    config: str, path: tuple[str, ...], feature: Any, *, is_inside: bool = False
) -> dict[str, Any] | None:
    """The field of a column or of a part of one; None for what Croissant has no type for."""
    head = {"@type": "cr:Field", "@id": "/".join((config, *path))}
    if isinstance(feature, dict):
        parts = [field_of(config, (*path, k), v, is_inside=True) for k, v in feature.items()]
        return {**head, "subField": parts}
    if isinstance(feature, List | LargeList):
        shape, inner = [], feature
        while isinstance(inner, List | LargeList):
            shape.append(str(getattr(inner, "length", -1) or -1))
            inner = inner.feature
        field = field_of(config, path, inner, is_inside=True)
        return field and {**field, "isArray": True, "arrayShape": ",".join(shape)}
    kind = "sc:Integer" if isinstance(feature, ClassLabel) else RULES["types"].get(_dtype(feature))
    source: dict[str, Any] = {"fileSet": {"@id": file_set(config)}, "extract": {"column": path[0]}}
    if is_inside and path[1:]:
        steps = [{"jsonPath": part} for part in path[1:]]
        source["transform"] = steps[0] if len(steps) == 1 else steps
    return kind and {**head, "dataType": kind, "source": source}


def _dtype(feature: Any) -> str:
    return str(feature.dtype) if isinstance(feature, Value) else ""
