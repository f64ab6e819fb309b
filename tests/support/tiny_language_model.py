"""A causal model made on the spot for every script: a token per byte, random weights."""

from pathlib import Path

import pytest

from tests.support.tiny_models import tiny_llama

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
