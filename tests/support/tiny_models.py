"""Tiny models made on the spot, of random weights, and their tokenizers of characters or words."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

SMALL = {"hidden_size": 16, "intermediate_size": 16, "num_attention_heads": 2}
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def transformers() -> Any:
    pytest.importorskip("torch", reason="torch is not installed")
    return pytest.importorskip("transformers", reason="transformers is not installed")


def tiny_bert(
    folder: Path, kind: str, pieces: Iterable[str], seed: int = 0, **settings: Any
) -> tuple[Any, Any]:
    """Saves a BERT of a kind, such as `ForMaskedLM`, with a token per piece; gives both."""
    library = transformers()
    vocabulary = {piece: i for i, piece in enumerate([*SPECIAL, *pieces])}
    tokenizer = library.BertTokenizerFast(vocab=vocabulary, do_lower_case=False)
    tokenizer.save_pretrained(folder)
    config = {**SMALL, "vocab_size": len(vocabulary), "num_hidden_layers": 1, **settings}
    pytest.importorskip("torch").manual_seed(seed)
    model = getattr(library, f"Bert{kind}")(library.BertConfig(**config)).eval()
    model.save_pretrained(folder)
    return tokenizer, model


def characters(texts: Iterable[str]) -> list[str]:
    """Every character of the texts, once."""
    return sorted(set().union(*texts))


def word_tokenizer(special: list[str], texts: Iterable[str], **named: str) -> Any:
    """A tokenizer with a token per word of the texts."""
    library = transformers()
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = [*special, *sorted({word for text in texts for word in text.split()})]
    vocabulary = {word: i for i, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return library.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="<unk>", eos_token="</s>", **named
    )


def tiny_llama(folder: Path, n_tokens: int, **settings: Any) -> None:
    """Saves a causal model of so many tokens."""
    library = transformers()
    pytest.importorskip("torch").manual_seed(0)
    config = {**SMALL, "vocab_size": n_tokens, "num_hidden_layers": 2, **settings}
    library.LlamaForCausalLM(library.LlamaConfig(**config)).save_pretrained(folder)


START, END = "<s>", "</s>"


def make_byte_model(folder: Path) -> str:
    """Saves model and tokenizer, which begins every text with a start token; gives the folder."""
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    letters = [START, END, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    vocabulary = {letter: i for i, letter in enumerate(letters)}
    tokenizer = Tokenizer(models.BPE(vocabulary, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{START} $A", special_tokens=[(START, 0)]
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=START, eos_token=END, pad_token=END
    ).save_pretrained(folder)
    tiny_llama(
        folder,
        len(vocabulary),
        num_hidden_layers=1,
        initializer_range=0.3,  # so that no attention is all on one token, which makes ties
        max_position_embeddings=4096,
        bos_token_id=0,
        eos_token_id=1,
    )
    return str(folder)


def make_masked_model(folder: Path) -> str:
    """Saves a tiny masked model with a tokenizer of word pieces."""
    pieces = ["the", "a", "dog", "goat", "##s", "bark", "##ed"]
    tiny_bert(folder, "ForMaskedLM", pieces, num_hidden_layers=2, initializer_range=1.0)
    return str(folder)
