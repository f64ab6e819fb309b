"""UDPipe 1 on sentences that are cut into words already."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any


def load_model(path: Path) -> Any:
    """A model of UDPipe 1.

    Raises:
        ValueError: The file is none.
    """
    import ufal.udpipe

    model = ufal.udpipe.Model.load(str(path))
    if model is None:
        raise ValueError(f"{path}: model, got no UDPipe model; expected a file that UDPipe 1 wrote")
    return model


def read_sentences(text: str) -> Any:
    """UDPipe's own sentences of a CoNLL-U text."""
    import ufal.udpipe as udpipe

    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(text)
    sentences = udpipe.Sentences()
    while reader.nextSentence(sentence := udpipe.Sentence()):
        sentences.append(sentence)
    return sentences


def parse(model: Any, sentences: Sequence[Sequence[str]]) -> Iterator[list[tuple[int, str]]]:
    """Head (1-based, 0 the root) and label of every word, tags predicted."""
    import ufal.udpipe as udpipe

    for words in sentences:
        sentence = udpipe.Sentence()
        for word in words:
            sentence.addWord(word)
        model.tag(sentence, model.DEFAULT)
        model.parse(sentence, model.DEFAULT)
        yield [(word.head, word.deprel) for word in list(sentence.words)[1:]]


def cut(model: Any, text: str) -> list[str]:
    """Words of one sentence, by the model's own tokenizer."""
    import ufal.udpipe as udpipe

    # made anew each time: a tokenizer must not outlive its model
    tokenizer = model.newTokenizer("presegmented")
    tokenizer.setText(text)
    words: list[str] = []
    while tokenizer.nextSentence(sentence := udpipe.Sentence()):
        words += [word.form for word in list(sentence.words)[1:]]  # the first is the root
    return words
