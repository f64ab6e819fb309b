"""Words of the corpora of `corpora.toml`, and of their standards' word lists, to learn from."""

from builders.eras.gold_text import TAG, Corpus, corpora, read_recorded
from metrics._shared.plain_text import lines_of


def corpus(name: str) -> Corpus:
    """One corpus; a ValueError names the known ones."""
    if name not in corpora():
        raise ValueError(f"corpus, got {name!r}; expected one of {', '.join(corpora())}")
    return corpora()[name]


def read_sentences(name: str) -> list[list[str]]:
    """Words of a corpus's sentences, none empty; a ValueError where it is not the recorded one."""
    entry = corpus(name)
    lines = lines_of(read_recorded(entry.text, entry.text_sha256))
    sentences = [line.split() for line in lines]
    if entry.format == "tagged":
        sentences = [[TAG.sub("", word) for word in words] for words in sentences]
    return [words for words in sentences if words]


def read_word_list(name: str) -> frozenset[str]:
    """The words of a standard's training text; empty without a list; errors as `read_sentences`."""
    entry = corpus(name)
    if not entry.lexicon:
        return frozenset()
    lines = lines_of(read_recorded(entry.lexicon, entry.lexicon_sha256))
    return frozenset(fields[0] for line in lines if (fields := line.split()))
