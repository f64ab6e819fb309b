"""What the rows of SORTS are: counts beside the published ones, what settles them, minimal pairs.

    python -m research sorts design  # about a minute

Source: Fischer et al. (2020), section 3 and Tables 7 and 9.
"""

import functools
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tqdm import tqdm

from builders.sorts import readings as grammar
from builders.sorts.design import SPLITS, SYNCRETISM
from builders.sorts.draw import capacity
from builders.sorts.lexicon import CASES, GERMAN, read_lexicon
from builders.sorts.writers import conllu
from dataset_scripts.registry import split_table
from ground.files import write_whole
from ground.markdown import markdown_table
from metrics.subject_object_las.inputs import RESOLVED_BY
from research.readings.sorts_decisions import (
    agreements,
    changes,
    kappa,
    review_counts,
    reviewed_clauses,
)
from research.readings.sorts_pairs import property_pairs, word_order_pairs
from research.studies.published_tables import subject_object_rows
from research.studies.report import Shown, headings, wilson_text
from research.studies.study import Options, Run, Study
from research.systems.parsers.sorts_readers import argument_words


def uncounted_readings(row: Any, tables: Path = GERMAN) -> list[str]:
    """Readings of a realized clause that `builders.sorts.readings` does not count.

    They change the structure or the words: the second phrase as a `genitive_attribute` of the
    first, `polite_sie`, `possessive_ihr`. A row has `tokens`, `heads`, `subject`, `verb`, `object`.
    """
    found = []
    first, second = sorted(argument_words(row.heads, head) for head in (row.subject, row.object))
    if first[-1] + 1 == second[0] and _is_attribute(
        [row.tokens[i] for i in first], [row.tokens[i] for i in second], tables
    ):
        found.append("genitive_attribute")
    opener = row.tokens[0].lower()
    if all(opener in forms for forms in _third_person_forms(tables).values()):
        plural = grammar.Analysis("", 3, "plural")
        if any(plural in grammar.finite_forms(tables).get(word, ()) for word in row.tokens):
            found.append("polite_sie")
    heads = (row.subject, row.object)
    if any(_is_possessive(row.tokens[i], row.tokens[i + 1], tables) for i in heads):
        found.append("possessive_ihr")
    return found


@functools.cache
def _third_person_forms(tables: Path) -> dict[str, frozenset[str]]:
    """Nominative personal pronouns of the third person, per number."""
    every = read_lexicon(tables).pronouns
    pronouns = [p for p in every if p.kind == "personal" and p.person == 3]
    return {
        number: frozenset(form for p in pronouns if p.number == number for form in p.nominative)
        for number in grammar.NUMBERS
    }


def _is_attribute(words: Sequence[str], after: Sequence[str], tables: Path) -> bool:
    """Whether the second phrase can be a genitive attribute (with determiner) of the first."""
    heads = grammar.word_forms(tables).get(words[-1].lower(), ())
    is_pronoun = any(form.word_class == "pronoun" for form in heads)
    analyses = grammar.phrase_analyses(after, tables)
    return not is_pronoun and len(after) > 1 and grammar.has_case(analyses, "genitive")


def _is_possessive(word: str, after: str, tables: Path) -> bool:
    """Whether a pronoun is also a possessive that agrees with the noun after it."""
    forms = grammar.word_forms(tables)
    nouns = [form for form in forms.get(after, ()) if form.word_class == "noun"]
    return word.lower() in _possessive_pronouns(tables) and any(
        grammar.agree([word.lower()], noun, forms) for noun in nouns
    )


@functools.cache
def _possessive_pronouns(tables: Path) -> frozenset[str]:
    """Forms that a personal pronoun and a possessive have in common."""
    lexicon = read_lexicon(tables)
    pronouns = [p for p in lexicon.pronouns if p.kind == "personal"]
    personal = {form for p in pronouns for case in CASES[:3] for form in getattr(p, case)}
    possessive = {d.lemma for d in lexicon.determiners.values() if d.kind == "possessive"}
    rows = [row for row in lexicon.determiner_forms.values() if row.lemma in possessive]
    return frozenset(getattr(row, case) for row in rows for case in CASES) & personal


Columns = Mapping[str, list[Any]]
READERS = headings("sorts design")
VALIDATE = "import sys; from udtools.cli import main; sys.exit(main())"


def rows(options: Options) -> dict[str, Columns]:
    """Columns of config `conll` of the default draw, by split."""
    return {split: split_table("sorts", "conll", split).to_pydict() for split in SPLITS}


def score(suite: Mapping[str, Columns], run: Run) -> dict[str, Any]:
    """Counts, and what udvalidate says of every tree."""
    validated = {
        split: validate(columns)
        for split, columns in tqdm(suite.items(), "udvalidate", unit="split", disable=None)
    }
    return {**describe(suite), "validated": validated}


def show(figures: Mapping[str, Any], options: Options) -> list[Shown]:
    """The tables."""
    return [Shown(result_text(figures), figures)]


def describe(suite: Mapping[str, Columns]) -> dict[str, Any]:
    """Counts what is in the rows, by split, and what readers found.

    `counts` has the classes that differ from the published number, `uncounted` the rows per listed
    reading, `draws` how many draws without a common sentence the tables hold.
    """

    def each(count: Callable[[Columns], Any]) -> dict[str, Any]:
        return {split: count(columns) for split, columns in suite.items()}

    sentences = each(lambda columns: {" ".join(tokens) for tokens in columns["tokens"]})
    return {
        "rows": each(lambda columns: len(columns["id"])),
        "counts": {split: differing_counts(split, columns) for split, columns in suite.items()},
        "resolved_by": each(lambda columns: dict(Counter(columns["resolved_by"]))),
        "pairs": each(pair_counts),
        "uncounted": each(uncounted_counts),
        "shared": len(sentences["part_amb"] & sentences[SYNCRETISM]),
        "marked_orders": each(lambda columns: sum(columns["is_marked_order"])),
        "decisions": {"agreement": [a._asdict() for a in agreements()], "changes": changes()},
        "review": review_figures(),
        "draws": capacity(),
    }


def differing_counts(split: str, columns: Columns) -> dict[str, list[int]]:
    """Number of clauses of each order or property where it is not the published one: both."""
    ours = Counter(columns["word_order"]) + Counter(
        tag for tags in columns["properties"] for tag in tags
    )
    published = {row.part_of_suite: row.n for row in subject_object_rows(split)}
    return {name: [ours[name], n] for name, n in published.items() if ours[name] != n}


def pair_counts(columns: Columns) -> dict[str, int]:
    """Counts the minimal pairs per contrast."""
    counts = Counter(pair.contrast for pair in property_pairs(columns))
    return {"word_order": sum(1 for _ in word_order_pairs(columns)), **counts}


def uncounted_counts(columns: Columns) -> dict[str, int]:
    """Counts the rows per reading that the proof lists and does not count."""
    names = ("tokens", "heads", "subject", "verb", "object")
    found: Counter[str] = Counter()
    for values in zip(*(columns[name] for name in names), strict=True):
        found.update(uncounted_readings(SimpleNamespace(**dict(zip(names, values, strict=True)))))
    return dict(sorted(found.items()))


def validate(columns: Columns) -> str:
    """Verdict of udvalidate at level 5 on all trees: PASSED, or what it says instead."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "suite.conllu"
        write_whole(path, conllu(columns))
        command = [sys.executable, "-c", VALIDATE, "--lang", "de", "--level", "5", str(path)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    output = (run.stdout + run.stderr).strip()
    return "PASSED" if run.returncode == 0 and "PASSED" in output else output[-500:]


def result_text(figures: Mapping[str, Any]) -> str:
    """The result as Markdown."""
    parts = [
        "**Counts.** Every word order and property class has the published number of clauses, but "
        "for these, where labels are corrected:",
        markdown_table(
            {"split": split, "class": name, "clauses": ours, "published": theirs}
            for split in SPLITS
            for name, (ours, theirs) in sorted(figures["counts"][split].items())
        ),
        "**What settles who is subject** (clauses):",
        _by_split("resolved_by", figures["resolved_by"], RESOLVED_BY),
        "**Minimal pairs** (pairs of clauses by the one thing they differ in):",
        _by_split("contrast", figures["pairs"]),
        "**Readings that are listed, not counted** (clauses that have one):",
        _by_split("reading", figures["uncounted"]),
        f"{figures['shared']:,} sentences are in both splits, with the same tree: clauses of "
        "`part_amb` tagged `amb`.",
        f"**Draws.** The tables hold {figures['draws']} draws of this size that share no sentence.",
        "**Marked orders** (`is_marked_order`): "
        + ", ".join(f"`{split}` {figures['marked_orders'][split]:,}" for split in SPLITS)
        + " clauses.",
        decisions_text(figures["decisions"]),
        review_text(figures["review"]),
    ]
    verdicts = "; ".join(
        f"`{split}` ({figures['rows'][split]:,} trees): {figures['validated'][split]}"
        for split in SPLITS
    )
    parts.append(f"udvalidate --lang de --level 5 over the CoNLL-U of all rows says: {verdicts}.")
    return "\n\n".join(part.strip() for part in parts) + "\n"


def decisions_text(decisions: Mapping[str, Any]) -> str:
    """How two readers of verbs and triples agree, and what their answers changed."""
    found = decisions["changes"]
    rows = [
        {
            "question": row["question"],
            "asked": row["n"],
            "first: yes": _rate(row["first"], row["n"]),
            "second: yes": _rate(row["second"], row["n"]),
            "Cohen's kappa": f"{row['kappa']:.2f}",
        }
        for row in decisions["agreement"]
    ]
    return (
        f"**Both directions** of {found['verbs']} verbs and {found['triples']} triples, judged by "
        "two readers (language models, blind and independent), with 95 % Wilson intervals:\n\n"
        + markdown_table(rows)
        + f"\nThey made {found['widened']} verbs wider than the tables' author had them, and took "
        f"the status away from {found['no_longer_excluded']} triples that were excluded and "
        f"{found['no_longer_open']} that were open; {found['doubted']} that both exclude and the "
        f"author does not stay `plausibility`, and so do {found['unread']} given without nouns."
    )


def review_text(review: Mapping[str, Any]) -> str:
    """What the readings found, with Wilson intervals of their rates and the readers' kappa."""
    rows = [
        {
            "reader": READERS[reader],
            "wrong subject or status": _rate(counts["wrong"], counts["read"]),
            "nonsense": _rate(counts["nonsense"], counts["read"]),
            "ungrammatical": counts["ungrammatical"],
            "marked": counts["marked"],
            "left open by the suite alone": counts["cautious"],
        }
        for reader, counts in review["readings"].items()
    ]
    kappas = "; ".join(f"{pair} {value:.2f}" for pair, value in review["kappa"].items())
    return (
        "**Readings** of fresh clauses (another seed, fixed by their hash before) from the text "
        "alone, by language models, not by people. Of "
        f"{review['readings']['author']['read']} clauses each, with 95 % Wilson intervals:\n\n"
        + markdown_table(rows)
        + (f"\nCohen's kappa (is the other reading impossible?): {kappas}." if kappas else "")
    )


def review_figures() -> dict[str, Any]:
    """Counts of each reading, and the kappa of each pair of readers."""
    readings = reviewed_clauses()
    return {
        "readings": review_counts(),
        "kappa": {
            f"{one} and {other}": kappa(readings[one], readings[other])
            for one, other in combinations(readings, 2)
        },
    }


def _rate(count: int, n: int) -> str:
    return wilson_text(count, n, 2, " %")


def _by_split(title: str, counts: Mapping[str, Any], order: Sequence[str] = ()) -> str:
    """A line for each name that a split has, in an order or sorted."""
    names = {name for split in SPLITS for name in counts[split]}
    return markdown_table(
        {title: name} | {split: counts[split].get(name, 0) for split in SPLITS}
        for name in order or sorted(names)
        if name in names
    )


STUDY = Study.of(__name__)
