"""Tiny models made on the spot, of random weights: to see a script run, not to learn anything.

    python examples/tiny_models.py --data hub --out tiny

writes tiny/bert-zh (a token per character), tiny/bert, tiny/gpt and tiny/t5 (subwords of the
suites' own sentences), each a folder that `from_pretrained` takes. No weights, no network.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import BertConfig, GPT2Config, PreTrainedTokenizerFast, T5Config

SPECIAL = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
LENGTH = 256
TEXTS = {  # where the sentences of each tokenizer come from
    "bert-zh": [("eras/lm_items/train", "text")],
    "bert": [("centerbench/completion_items/train", "prompt"), ("sorts/sentence/amb", "sentence")],
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes the four folders."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("hub"), help="where the suites lie")
    parser.add_argument("--out", type=Path, default=Path("tiny"), help="where the models go")
    options = parser.parse_args(arguments)
    texts = {name: _texts(options.data, sources) for name, sources in TEXTS.items()}
    for name in ("bert-zh", "bert", "gpt", "t5"):
        own, ends = texts.get(name, texts["bert"]), "[SEP]" if name == "t5" else None
        tokenizer = save_tokenizer(options.out / name, own, ends=ends)
        save_model(options.out / name, name.partition("-")[0], tokenizer)


def save_tokenizer(
    folder: Path, texts: list[str], size: int = 1_000, ends: str | None = None
) -> PreTrainedTokenizerFast:
    """Trains a tokenizer of characters and frequent pieces; `ends` closes a text of what writes."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = list(SPECIAL.values())
    tokenizer.train_from_iterator(
        texts, trainers.WordPieceTrainer(vocab_size=size, special_tokens=special)
    )
    ids = [(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    before = "" if ends else "[CLS] "
    around = (f"{before}$A [SEP]", f"{before}$A [SEP] $B:1 [SEP]:1")
    tokenizer.post_processor = processors.TemplateProcessing(
        single=around[0], pair=around[1], special_tokens=ids
    )
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=LENGTH, eos_token="[SEP]", **SPECIAL
    )
    wrapped.chat_template = "{% for m in messages %}{{ m['content'] }} {% endfor %}"
    wrapped.save_pretrained(folder)
    return wrapped


def tiny_bert(vocabulary: int, **settings: Any) -> BertConfig:
    """A BERT of one layer of 16 units."""
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    sizes |= {"intermediate_size": 32, "max_position_embeddings": LENGTH}
    return BertConfig(vocab_size=vocabulary, **sizes, **settings)


def save_model(folder: Path, kind: str, tokenizer: PreTrainedTokenizerFast) -> None:
    """Saves a model of random weights beside its tokenizer: `bert`, `gpt` or `t5`."""
    import torch
    from transformers import BertModel, GPT2LMHeadModel, T5ForConditionalGeneration

    torch.manual_seed(0)
    n, pad, end = len(tokenizer), tokenizer.pad_token_id, tokenizer.sep_token_id
    ends = {"pad_token_id": pad, "eos_token_id": end}
    network: Any
    if kind == "bert":
        network = BertModel(tiny_bert(n))
    elif kind == "gpt":
        sizes = {"n_positions": LENGTH, "n_embd": 16, "n_layer": 1, "n_head": 2}
        network = GPT2LMHeadModel(GPT2Config(vocab_size=n, bos_token_id=end, **sizes, **ends))
    else:
        sizes = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2}
        network = T5ForConditionalGeneration(
            T5Config(vocab_size=n, decoder_start_token_id=pad, **sizes, **ends)
        )
    network.save_pretrained(folder)


def _texts(data: Path, sources: list[tuple[str, str]]) -> list[str]:
    found: list[str] = []
    for place, column in sources:
        table = pq.read_table(data / f"{place}-00000-of-00001.parquet", columns=[column])
        found += table[column].to_pylist()[:4_000]
    return found


if __name__ == "__main__":
    main()
