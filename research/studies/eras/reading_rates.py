"""What two blind readers said of ambiguous strings that occur, by flag: rates and agreement."""

from collections.abc import Sequence

from ground.markdown import interval, markdown_table, percent
from metrics._shared.uncertainty import wilson_interval
from research.readings.agreement import cohen_kappa
from research.readings.eras_natural import NaturalReading, read_readings


def readings_text() -> str:
    """The rates of each flag, kappa of the two readers, and what they are about."""
    rows = read_readings()
    flags = ["none", *sorted({row.exclusion for row in rows} - {"none"})]
    table = [_rates(flag, [row for row in rows if row.exclusion == flag]) for flag in flags]
    gold = [[answer == "gold" for answer in (row.first, row.second)] for row in rows]
    standard = [[row.is_first_standard, row.is_second_standard] for row in rows]
    kappas = [cohen_kappa(*map(list, zip(*answers, strict=True))) for answers in (gold, standard)]
    return (
        f"**Readings.** {len(rows)} places, read by two language models that saw the sentence and"
        " both cuts and not which is the text's; percent of each flag with Wilson intervals. Wants"
        " the gold cut: that one and no other. Standard: either cut says the same, so that only a"
        f" convention decides. Kappa {kappas[0]:.2f} for the first, {kappas[1]:.2f} for the second."
        f"\n\n{markdown_table(table)}"
    )


def _rates(flag: str, rows: Sequence[NaturalReading]) -> dict[str, object]:
    """One line: what each reader and both of them say of a flag's places."""
    gold = [(row.first == "gold", row.second == "gold") for row in rows]
    standard = [(row.is_first_standard, row.is_second_standard) for row in rows]
    line: dict[str, object] = {"flag": flag, "places": len(rows)}
    for name, answers in (("wants the gold cut", gold), ("standard", standard)):
        each = " / ".join(
            f"{percent(sum(side) / len(rows)):.1f}" for side in zip(*answers, strict=True)
        )
        line[f"{name}: first / second"] = each
        line[f"{name}: both"] = _share(sum(all(pair) for pair in answers), len(rows))
    return line


def _share(n: int, of: int) -> str:
    found = wilson_interval(n, of)
    return f"{percent(n / of):.1f}{interval(percent(found.low), percent(found.high))}"
