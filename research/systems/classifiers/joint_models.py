"""One encoder with several heads: any encoder of transformers by name, or a small one made here.

Every head is a model class of transformers; the encoder inside is one and the same object, so what
one head teaches it the others have. Each is saved as an ordinary folder of transformers.
"""

import contextlib
import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from research.systems.classifiers.joint_examples import TAGS

SMALL = "small"
HEADS = {
    "language": "AutoModelForMaskedLM",
    "sentiment": "AutoModelForSequenceClassification",
    "segmentation": "AutoModelForTokenClassification",
}
LABELS = {"sentiment": ("negative", "positive"), "segmentation": TAGS}
# learned absolute positions hardly learn to segment from little text; rotary ones and a window do;
# without dropout a model of sentiment alone learns its reviews by heart (held out 78.8 percent);
# with a tenth everywhere still a little (79.7 after 1,600 steps)
SMALL_ENCODER = {
    "hidden_size": 128,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 336,
    "global_attn_every_n_layers": 2,
    "local_attention": 16,
    "max_position_embeddings": 512,
    "classifier_pooling": "mean",
    "sparse_prediction": True,
    "embedding_dropout": 0.3,
    "mlp_dropout": 0.2,
    "classifier_dropout": 0.3,
}


def small_config(tokenizer: Any, **changes: Any) -> Any:
    """The configuration of the small encoder for a tokenizer: ModernBERT, 3 layers of 128."""
    from transformers import ModernBertConfig

    alike = {"pad": "pad", "cls": "cls", "sep": "sep", "bos": "cls", "eos": "sep"}
    ids = {f"{a}_token_id": getattr(tokenizer, f"{b}_token_id") for a, b in alike.items()}
    return ModernBertConfig(vocab_size=len(tokenizer), **(SMALL_ENCODER | ids | changes))


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """A block in which transformers says nothing of new heads and shows no bars of its own."""
    from transformers.utils import logging

    level, has_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if has_bars:
            logging.enable_progress_bar()


def new_model(head: str, config: Any) -> Any:
    """A model with one of HEADS and random weights."""
    import transformers

    return getattr(transformers, HEADS[head]).from_config(_with_labels(config, head))


def load_model(head: str, source: str | Path) -> Any:
    """A model whose encoder is that of a checkpoint; a head that it lacks has random weights."""
    import transformers

    config = _with_labels(transformers.AutoConfig.from_pretrained(source), head)
    with quietly():
        return getattr(transformers, HEADS[head]).from_pretrained(source, config=config)


def share_encoder(models: dict[str, Any]) -> None:
    """Makes the encoder of the first model that of all."""
    first = next(iter(models.values()))
    for model in models.values():
        setattr(model, model.base_model_prefix, getattr(first, first.base_model_prefix))


def save_models(models: dict[str, Any], tokenizer: Any, folder: Path) -> None:
    """Saves each model with the tokenizer into a folder of its head's name."""
    with quietly():
        for head, model in models.items():
            model.save_pretrained(folder / head)
            tokenizer.save_pretrained(folder / head)


def _with_labels(config: Any, head: str) -> Any:
    config = copy.deepcopy(config)
    if labels := LABELS.get(head):
        config.id2label = dict(enumerate(labels))
        config.label2id = {label: i for i, label in enumerate(labels)}
    return config
