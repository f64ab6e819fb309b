"""Earlier name of `systems.classifiers`."""

from systems.classifiers import Classifier as Classifier
from systems.classifiers import load_char_lr as load_char_lr
from systems.classifiers import load_classifier as load_classifier
from systems.classifiers import positive_columns as positive_columns
from systems.classifiers import read_reviews as read_reviews
from systems.classifiers import train_char_lr as train_char_lr
