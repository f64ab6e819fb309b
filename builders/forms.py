"""Forms: what people are asked about the rows of a suite, on which sheet and in which order.

A suite that asks people has `builders/<suite>/forms.py` with `FORMS` and its texts in
`data/forms.toml`. A form deals its items out to sheets; a sheet is what one person answers. Sheet k
and sheet k + `n_sheets` have the same items in another order, so that every item gets as many
raters as there are rounds.

    practice, then checks of comprehension    answered right before the form goes on
    items, with an attention item now and then    what fails there is reported, never dropped
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from builders.columns import Row as Row
from ground.tables import read_settings

Kind = Literal["rank", "read", "choose", "rate"]
Role = Literal["practice", "comprehension", "item", "attention"]
STEPS = 7
EVERY = 25  # items between two attention items


@dataclass(frozen=True)
class FormItem:
    """One page of a form.

    Its content is, by kind:

    rank     `sentences` (`id`, `text`) from most to least, ties allowed
    read     a `sentence`, then `questions` (`id`, `text`) while it `is_hidden` or not
    choose   a `text`, a `question`, `options` (`id`, `text`) and whether it `asks_sureness`
    rate     a `text`, on seven steps

    Texts in two languages are maps from language to text.
    """

    id: str  # of the row, or rows, that it is about
    kind: Kind
    content: Mapping[str, Any]
    role: Role = "item"
    expected: tuple[Any, ...] = ()  # accepted: ranks by sentence id, an option's id, or a step


Deal = Callable[[int, int], Sequence[FormItem]]
"""Items of a sheet in the order in which they are asked, from the seed and the sheet's number."""


@dataclass(frozen=True)
class RatingForm:
    """A form of a suite's VERSION, whose rows an answer is about.

    The file of texts has a table of its name: `title`, `instructions`, `asks` and the like in the
    suite's language and in English, and its practice, comprehension and attention items.
    """

    suite: str
    name: str
    version: str
    language: str
    n_sheets: int
    n_raters: int  # how many people a round needs, see the power table in the suite's card
    minutes: int
    texts: Path
    deal: Deal

    @property
    def full_name(self) -> str:
        """Suite and name, as on the command line."""
        return f"{self.suite}-{self.name}"

    def settings(self) -> Mapping[str, Any]:
        """Its table of texts."""
        return dict(read_settings(self.texts)[self.name])

    def fixed_items(self, role: Role) -> list[FormItem]:
        """The items that every sheet has, of one role."""
        found = []
        for row in self.settings().get(role, ()):
            content = {name: row[name] for name in row if name not in ("id", "kind", "expected")}
            found.append(FormItem(row["id"], row["kind"], content, role, tuple(row["expected"])))
        return found

    def sheet(self, seed: int, number: int) -> list[FormItem]:
        """All pages of a sheet, whose numbers count from 0."""
        items = self.deal(seed, number)
        checks = [*self.fixed_items("practice"), *self.fixed_items("comprehension")]
        return [*checks, *spread(items, self.fixed_items("attention"), EVERY)]


def shuffled(items: Sequence[Any], *names: object) -> list[Any]:
    """Items in an order that the names decide."""
    order = list(items)
    random.Random(" ".join(map(str, names))).shuffle(order)
    return order


def spread(items: Sequence[FormItem], attention: Sequence[FormItem], every: int) -> list[FormItem]:
    """Items with an attention item in the middle of each stretch of `every`, each at most once.

    A sheet of fewer items has one all the same.

    Example:
        >>> pages = [FormItem(str(i), "rate", {}) for i in range(4)]
        >>> checks = [FormItem(name, "rate", {}, "attention") for name in "ab"]
        >>> [page.id for page in spread(pages, checks, 2)]
        ['0', 'a', '1', '2', 'b', '3']
    """
    stretch = min(every, max(1, len(items)))
    left, found = list(attention), []
    for i, item in enumerate(items):
        if left and i % stretch == stretch // 2:
            found.append(left.pop(0))
        found.append(item)
    return found


def williams_square(n: int) -> list[list[int]]:
    """Orders of n conditions, n even: each once in every place, each once after every other.

    Source: Williams (1949).

    Example:
        >>> williams_square(4)
        [[0, 1, 3, 2], [1, 2, 0, 3], [2, 3, 1, 0], [3, 0, 2, 1]]
    """
    if n % 2 or n < 2:
        raise ValueError(f"williams_square: conditions, got {n}; expected an even number")
    first = [(i + 1) // 2 if i % 2 else (n - i // 2) % n for i in range(n)]
    return [[(place + row) % n for place in first] for row in range(n)]
