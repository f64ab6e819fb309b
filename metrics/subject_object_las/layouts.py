"""Old and new names of word orders and properties; one name changed its meaning.

`LK[V]MF[SO]` is "Deshalb sieht der Hund einen Ball ." in the files of the paper and "Sieht der Hund
einen Ball ?" in all later ones, so a file's names can only be read when its scheme is known: from
its checksum, or from names that only one scheme has.

Source: DiveFish/SORTS at commits a638db3 (paper) and 6db9eec (renamed), and the Dutch files before
c625f74 (dutch); `builders/sorts/data/label_schemes.tsv` is the same table.
"""

from collections.abc import Collection, Iterable
from typing import Literal

from .inventory import NO_PROPERTY, PROPERTIES, WORD_ORDERS

FINAL = "final"
Kind = Literal["property", "word_order"]

# scheme, kind, its name, the final name
CHANGES: tuple[tuple[str, Kind, str, str], ...] = (
    ("dutch", "property", "snp", "sname"),
    ("paper", "property", "idm", "prov"),
    ("paper", "property", "oempt", "noref"),
    ("paper", "property", "sinst", "regpol"),
    ("paper", "property", "sodir", "semas"),
    ("paper", "word_order", "LK[V]MF[OS]", "VF[ADV]LK[V]MF[OS]"),
    ("paper", "word_order", "LK[V]MF[OS]Q", "LK[V]MF[OS]"),
    ("paper", "word_order", "LK[V]MF[SO]", "VF[ADV]LK[V]MF[SO]"),
    ("paper", "word_order", "LK[V]MF[SO]Q", "LK[V]MF[SO]"),
    ("renamed", "property", "idm", "prov"),
)


def schemes() -> tuple[str, ...]:
    """Names of all schemes, the final one first."""
    return (FINAL, *sorted({scheme for scheme, *_ in CHANGES}))


def final_labels(scheme: str, kind: Kind) -> dict[str, str]:
    """Every name that a scheme allows, with its final name.

    Raises:
        ValueError: There is no such scheme.
    """
    if scheme not in schemes():
        raise ValueError(f"scheme, got {scheme!r}; expected one of {', '.join(schemes())}")
    changed = {
        label: final
        for of_scheme, of_kind, label, final in CHANGES
        if (of_scheme, of_kind) == (scheme, kind)
    }
    finals = WORD_ORDERS if kind == "word_order" else (NO_PROPERTY, *PROPERTIES)
    return {name: name for name in finals if name not in changed.values()} | changed


def scheme_labels(scheme: str, kind: Kind) -> dict[str, str]:
    """The name that a scheme has for every final name: the inverse of `final_labels`."""
    return {final: label for label, final in final_labels(scheme, kind).items()}


def detect_scheme(word_orders: Collection[str], properties: Iterable[str]) -> str:
    """Scheme of a file, told from the names it uses.

    Args:
        word_orders: All names of orders in the file.
        properties: All tags in the file.

    Returns:
        A scheme that has all of these names.

    Raises:
        ValueError: No scheme has them all, or it stays open which clause a name means.
    """
    orders, tags = set(word_orders), set(properties)
    fitting = [
        s
        for s in schemes()
        if orders <= set(final_labels(s, "word_order")) and tags <= set(final_labels(s, "property"))
    ]
    readings = {
        tuple(sorted((name, final_labels(s, "word_order")[name]) for name in orders))
        for s in fitting
    }
    if len(readings) != 1:
        found = (
            "no scheme has them all"
            if not fitting
            else f"{' and '.join(fitting)} read them differently"
        )
        raise ValueError(
            f"labels, got {', '.join(sorted(orders | tags))} ({found}); "
            "expected the names of one scheme"
        )
    return fitting[0]
