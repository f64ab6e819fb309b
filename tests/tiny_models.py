"""Tiny models and tokenizers made on the spot: no weights, no network."""

from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, PreTrainedTokenizerFast


def save_tokenizer(folder: Path, texts: list[str], size: int = 600) -> PreTrainedTokenizerFast:
    """A subword tokenizer of characters and frequent pieces, with BERT's special tokens."""
    from tokenizers import trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=special)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")],
    )
    names = dict(
        zip(
            ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), special, strict=True
        )
    )
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **names)
    wrapped.save_pretrained(folder)
    return wrapped


def tiny_bert(vocabulary: int, **settings: object) -> BertConfig:
    """A BERT of one layer of 16 units."""
    return BertConfig(
        vocab_size=vocabulary,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        **settings,
    )
