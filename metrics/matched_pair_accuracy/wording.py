"""The closed classes of words in which answers are given: numbers, constants, auxiliaries.

The words of a sentence come from its events, not from here. A symbol is one character for what a
word does in a clause: `x` auxiliary, `t` to, `b` form of be or get, `y` by, `r` relative pronoun,
`i` pronoun, `a` adverb of order, `,` separator, `>` link from cause to effect, `e` entity, `u`
acted upon, `f` affected, `n` not, and nothing for words that say nothing. A word that is neither
here nor in the sentence (`or`, `maybe`, another noun) makes a statement unreadable.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ARTICLES = frozenset({"the", "a", "an"})

_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
NUMBER_WORDS = tuple(_NUMBERS.split())

# around the number in an answer such as "There are three distinct entities in the sentence"
COUNTING_WORDS = _words(
    "there are is 's 're was were it they i we you can see find count number of distinct different"
    " unique separate individual entity entities noun nouns character characters participant"
    " participants animal animals people person persons vehicle vehicles thing things total in"
    " this given sentence all altogether mentioned present named listed namely and , : . ( ) - !"
    " contains contain containing includes include including has have features mentions involves"
    " exactly which that overall"
)

NO_PRIOR_EVENTS = frozenset(
    f"{no} {adjective}{noun}".replace("  ", " ")
    for no in ("no", "not any")
    for adjective in ("prior ", "previous ", "preceding ", "earlier ", "")
    for noun in ("event", "events")
) | {
    "none",
    "nothing",
    "no series of events",
    "no prior series of events",
    "no prior event occurred",
    "no prior events occurred",
    "nothing happened",
    "nothing happened before",
    "no events occurred",
}

NO_CONSEQUENCE = frozenset(
    f"no {adjective}{noun}"
    for adjective in ("further ", "subsequent ", "direct ", "")
    for noun in ("consequence", "consequences", "effect", "effects", "result", "outcome")
) | {"none", "nothing", "nothing happens", "nothing happened", "nothing follows"}

# words around a constant: "There is no consequence of the dog's involvement in the sentence."
CONSTANT_FRAME = _words(
    "there is are was were 's 're it has had have in this sentence any mentioned stated described"
    " given specified as result"
)

_SYMBOLS = {
    "x": "did do does done had has have having 've 'd",
    "t": "to",
    "n": "not n't never",
    "b": "is are was were am be been being 's 're get gets got getting gotten",
    "y": "by",
    "r": "that which who whom",
    "i": "it he she they him her them",
    "a": "then subsequently afterwards afterward next later finally lastly first firstly second"
    " secondly third thirdly also consequently eventually ultimately",
    ",": ", ; : . ! - and & so thereby",
    ">": "led leads leading causing caused causes making made makes prompting prompted triggering"
    " triggered",
    "e": "entity one animal person vehicle thing character individual creature participant",
    "f": "affected affects",
    "": 'just simply of thus therefore hence ( ) " “ ” [ ]',
}
SYMBOLS = {word: symbol for symbol, words in _SYMBOLS.items() for word in words.split()}

_LINKS = [
    f"{cause} {to}"
    for cause, to in (("led", "to"), ("leads", "to"), ("resulted", "in"), ("results", "in"))
]
_LINKS += ["led", "leads", "caused", "causes", "made", "makes", "prompted", "triggered"]
_PHRASES = {
    ">": [
        *(
            f"{word} {adverb}{link}"
            for word in ("which", "that", "this")
            for adverb in ("", "then ", "in turn ")
            for link in _LINKS
        ),
        *("led to", "leads to", "leading to", "resulting in", "resulted in", "results in"),
    ],
    ",": ["as result", "after that"],
    "a": ["in turn"],
    "u": ["acted upon", "acted on"],
}


def _by_first_word(phrases: dict[str, list[str]]) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    choices: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for symbol, texts in phrases.items():
        for words in (tuple(text.split()) for text in texts):
            choices.setdefault(words[0], []).append((words, symbol))
    return {
        first: sorted(found, key=lambda choice: -len(choice[0])) for first, found in choices.items()
    }


# longest first, so that "which led to" is never read as a relative pronoun
PHRASES = _by_first_word(_PHRASES)
