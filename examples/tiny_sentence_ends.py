"""Where sentences end, learnt by nltk on the spot: its own data where that cannot be downloaded.

    NLTK_DATA=tiny/nltk python examples/tiny_sentence_ends.py

writes the two folders that `run_summarization.py` and `nltk.sent_tokenize` look for.
"""

import os
from pathlib import Path

from nltk.tokenize.punkt import PunktTrainer, save_punkt_params

TEXT = "A sentence ends here. Another one begins."


def main() -> None:
    """Writes `punkt` (empty: it is only looked for) and `punkt_tab` of English."""
    folder = Path(os.environ["NLTK_DATA"]) / "tokenizers"
    for name in ("punkt", "punkt_tab"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    found = PunktTrainer(TEXT).get_params()
    save_punkt_params(found, dir=str(folder / "punkt_tab" / "english"))


if __name__ == "__main__":
    main()
