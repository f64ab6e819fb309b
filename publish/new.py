"""The skeleton of a metric: a folder, a card and a test that lack nothing but the measure."""

import importlib.util
import keyword
import re
import sys
from contextlib import suppress
from pathlib import Path
from string import Template

from dataset_scripts.registry import suite_names
from ground.files import write_whole
from ground.paths import ROOT
from ground.references import read_entries

SKELETON = Path(__file__).parent / "skeleton"
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
LONGEST_NAME = 30
FILES = {  # where each file of the skeleton goes
    "wrapper.py.txt": "metrics/{name}/{name}.py",
    "inputs.py.txt": "metrics/{name}/inputs.py",
    "options.py.txt": "metrics/{name}/options.py",
    "scoring.py.txt": "metrics/{name}/scoring.py",
    "card.md.txt": "cards/metrics/{name}.md",
    "test.py.txt": "tests/product/test_{name}.py",
}


def new_metric(name: str, cites: str, root: Path = ROOT) -> list[Path]:
    """Writes the skeleton of a metric that cites a paper of references.bib; gives its files."""
    if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        kinds = "lower case, digits and single underscores, such as ranking_accuracy"
        expected = f"at most {LONGEST_NAME} characters: {kinds}"
        raise ValueError(f"NAME, got {name!r}; expected {expected}")
    if whose := _owner(name):
        raise ValueError(f"NAME, got {name!r}, {whose}; expected another name")
    keys = read_entries(root / "cards" / "references.bib")
    if cites not in keys:
        raise ValueError(f"--cites, got {cites!r}; expected one of {', '.join(keys)}")
    paths = {source: root / place.format(name=name) for source, place in FILES.items()}
    places = [root / "metrics" / name, root / "metrics" / f"{name}.py", *paths.values()]
    if taken := [path for path in places if path.exists()]:
        got = f"NAME, got {name!r}, but {taken[0].relative_to(root)} exists"
        raise ValueError(f"{got}; expected another name")
    words = name.split("_")
    names = {"class_name": "".join(map(str.capitalize, words)), "key": cites}
    names |= {"name": name, "title": " ".join(words).capitalize()}
    try:
        for source, path in paths.items():
            text = Template((SKELETON / source).read_text(encoding="utf-8")).substitute(names)
            write_whole(path, text)
    except OSError:
        for path in paths.values():  # so that the name is free
            with suppress(OSError):
                path.unlink()
        with suppress(OSError):
            (root / "metrics" / name).rmdir()
        raise
    return list(paths.values())


def _owner(name: str) -> str:
    """What has a name already, "" for nothing: modules of a metric are imported by their names."""
    if keyword.iskeyword(name) or name in sys.stdlib_module_names:
        return "a word of Python"
    if name in suite_names():
        return "a suite"
    shared = {path.stem for path in (ROOT / "metrics" / "_shared").glob("*.py")}
    if name in shared | {Path(place).stem for place in FILES.values() if "}.py" not in place}:
        return "a module of metrics"
    return "a package that is installed" if importlib.util.find_spec(name) else ""
