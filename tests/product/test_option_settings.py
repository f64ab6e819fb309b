"""The choices on a metric's page come from its options: texts, order, and what cannot be shown."""

import pytest

from ground.tables import read_toml
from publish.build.metrics import metric_names
from publish.build.pages import option_settings
from tests.support.staged_pages import space_settings


def test_a_choice_carries_the_text_of_the_option_and_its_default_first():
    settings = {"shown_options": ["scale", "per_item", {"name": "mode", "choices": ["paper"]}]}
    scale, per_item, mode = read_toml(option_settings("gper", settings))["options"]
    assert scale["choices"] == ["probability", "logit"]
    assert scale["info"].startswith("what the predictions are, P(positive)")
    assert per_item == {
        "name": "per_item",
        "choices": [False, True],
        "info": "whether to add a row for every pair",
    }
    assert mode["choices"] == ["paper"]


@pytest.mark.parametrize("name", ["seed", "skale"])
def test_an_option_without_choices_is_refused(name):
    with pytest.raises(ValueError, match=f"shown_options, got '{name}'; expected options with"):
        option_settings("gper", {"shown_options": [name]})


@pytest.mark.parametrize("name", [name for name in metric_names() if space_settings(name)])
def test_the_staged_settings_are_toml(name, staged_metrics):
    staged = read_toml((staged_metrics / name / "space.toml").read_text(encoding="utf-8"))
    source = space_settings(name)
    assert {key: staged[key] for key in source} == source
    shown = source.get("shown_options", [])
    assert len(staged["options"]) == len(source.get("options", [])) + len(shown)
