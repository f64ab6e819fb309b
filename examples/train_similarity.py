"""Trains a sentence encoder on ERAS: a test sentence is nearer to its control than to another.

python train_similarity.py    (where `eras` lies, with tiny/bert-zh made by tiny_models.py)
"""

from datasets import load_dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

data = load_dataset("eras", "similarity_items")
model = SentenceTransformer("tiny/bert-zh", device="cpu")
arguments = SentenceTransformerTrainingArguments(
    "out-similarity", max_steps=20, per_device_train_batch_size=8, use_cpu=True, report_to=[]
)
trainer = SentenceTransformerTrainer(
    model, arguments, train_dataset=data["train"], loss=MultipleNegativesRankingLoss(model)
)
print(trainer.train().metrics)
