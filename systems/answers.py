"""Earlier name of `systems.questions` and `systems.prompts`."""

from systems.prompts import read_prompts as read_prompts
from systems.questions import Answer as Answer
from systems.questions import Answerer as Answerer
from systems.questions import Question as Question
from systems.questions import split_reasoning as split_reasoning
