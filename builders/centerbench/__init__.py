"""CenterBench: center-embedded sentences, plausible and not, with six questions about each entity.

A chain of licensed relations gives the sentence, its events and, by reversing the noun order, its
implausible partner. What changes a row changes VERSION, which the config then names; DRAW, the
VERSION that all other rows came with, is part of every draw.

Source: Madhusudan, Chen and Emami, "The Dog the Cat Chased Stumped the Model", EACL 2026.
"""

VERSION = "3.2.0"
DRAW = "3.0.0"
