"""Answerers: generation models made on the spot, names, prompts."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from garden_path.models.generation import GenerationModel, load_generation_model, shared_length
from garden_path.models.questions import Question, read_prompts
from garden_path.models.registry import USERS
from garden_path.models.system import Settings
from ground.hashes import make_key
from tests.support.cases import cases
from tests.support.tiny_models import tiny_llama, transformers, word_tokenizer

SENTENCE = "The goat that the horse kicked bleated."
QUESTION = Question(SENTENCE, "What kicked the goat?", "goat", "agent_identification")

TEMPLATE = (
    "{% for message in messages %}<{{ message.role }}> {{ message.content }} {% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
WINDOWS = ["sliding_attention", "full_attention"] * 2


def make_model(
    folder: Path, template: str | None = None, *, is_encoder_decoder: bool = False
) -> str:
    """Saves a tiny model with random weights and a tokenizer of whole words; gives the folder."""
    special = ["<pad>", "</s>", "<unk>", "<user>", "<system>", "<assistant>"]
    texts = (*read_prompts(), *QUESTION, "Sentence: Question: Answer:")
    tokenizer = word_tokenizer(special, texts, pad_token="<pad>")
    tokenizer.chat_template = template
    tokenizer.save_pretrained(folder)
    shape = {"vocab_size": len(tokenizer), "pad_token_id": 0, "eos_token_id": 1}
    if not is_encoder_decoder:
        shape |= {"initializer_range": 1.0, "max_position_embeddings": 512}
        tiny_llama(folder, shape.pop("vocab_size"), **shape)
        return str(folder)
    library = transformers()
    pytest.importorskip("torch").manual_seed(0)
    shape |= {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}
    config = library.T5Config(initializer_factor=20.0, decoder_start_token_id=0, **shape)
    library.T5ForConditionalGeneration(config).save_pretrained(folder)
    return str(folder)


def loaded(folder: str) -> tuple[Any, Any]:
    """Tokenizer and model of a folder."""
    library = transformers()
    tokenizer = library.AutoTokenizer.from_pretrained(folder, padding_side="left")
    return tokenizer, library.AutoModelForCausalLM.from_pretrained(folder).eval()


GENERATED = [
    QUESTION,
    QUESTION._replace(question="How many?"),
    QUESTION._replace(sentence="The goat bleated."),
    QUESTION._replace(question="What kicked the goat that the horse kicked?"),
    QUESTION._replace(question="kicked?"),
]


@pytest.mark.parametrize("is_encoder_decoder", [False, True])
def test_generation_does_not_depend_on_batches(tmp_path, is_encoder_decoder):
    name = f"transformers:{make_model(tmp_path, is_encoder_decoder=is_encoder_decoder)}"
    options = {"max_new_tokens": 8, "dtype": "float32"}
    together = USERS.load("answerer", name, batch_size=5, **options).predict(GENERATED)
    alone = USERS.load("answerer", name, batch_size=1, **options).predict(GENERATED)
    assert together == alone
    assert len(together) == 5
    assert all(answer.text for answer in together)
    # the tiny T5 always says the same
    assert is_encoder_decoder or len({answer.text for answer in together}) > 1
    assert all(answer.n_completion_tokens in range(9) for answer in together)
    for answer in together:
        is_cut = answer.n_completion_tokens == 8
        assert answer.finish_reason == ("length" if is_cut else "stop")
    longest = max(range(5), key=lambda i: len(GENERATED[i].question + GENERATED[i].sentence))
    most = max(answer.n_prompt_tokens or 0 for answer in together)
    assert together[longest].n_prompt_tokens == most


@pytest.mark.parametrize("architecture", ["Llama", "GPT2", "Gemma3Text"])
def test_a_beginning_that_is_lent_changes_no_answer(tmp_path, architecture):
    library = transformers()
    pytest.importorskip("torch").manual_seed(0)
    tokenizer, model = loaded(make_model(tmp_path))
    shape = {"vocab_size": len(tokenizer), "initializer_range": 1.0}
    if architecture == "GPT2":
        config = library.GPT2Config(n_embd=16, n_layer=2, n_head=2, n_positions=512, **shape)
        model = library.GPT2LMHeadModel(config)
    elif architecture == "Gemma3Text":
        # every second layer sees a window of eight tokens only
        small = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 4, "head_dim": 8}
        heads = {"num_attention_heads": 2, "num_key_value_heads": 1, "sliding_window": 8}
        config = library.Gemma3TextConfig(layer_types=WINDOWS, **small, **heads, **shape)
        model = library.Gemma3ForCausalLM(config)
    found = GenerationModel(tokenizer, model.eval(), read_prompts(), 4, 8)
    asked = [found.prompt(question) for question in GENERATED]
    tokens = tokenizer(asked, add_special_tokens=False)["input_ids"]
    beginning = found.beginning(tokens)
    assert beginning is not None
    assert beginning.n == shared_length(tokens) > 100
    plain = found.generate(tokens)
    assert found.generate(tokens, beginning) == plain
    assert found.generate(tokens[:2], beginning) == plain[:2]  # the lent one is as it was
    assert len({answer.text for answer in plain}) > 1


def test_prompts_without_a_common_beginning_lend_none(tmp_path):
    found = GenerationModel(*loaded(make_model(tmp_path)), read_prompts())
    assert found.beginning([[1, 2, 3], [4, 5, 6]]) is None
    assert found.beginning([list(range(40))]) is None  # one prompt shares with nobody


@pytest.mark.parametrize(*cases("answerers/prompts_follow_the_models_template"))
def test_prompts_follow_the_models_template(tmp_path, template, start):
    folder = make_model(tmp_path, template)
    model, _ = load_generation_model(folder, read_prompts(), Settings(dtype="auto"), 2)
    prompt = model.prompt(QUESTION)
    assert prompt.startswith(start)
    assert f"Sentence: {SENTENCE}\nQuestion: What kicked the goat?" in prompt
    assert prompt.endswith("<assistant>" if template else "\nAnswer:")


def test_a_broken_template_is_not_hidden(tmp_path):
    folder = make_model(tmp_path, TEMPLATE)
    model, _ = load_generation_model(folder, read_prompts(), Settings(dtype="auto"))
    model.tokenizer.chat_template = "{{ messages[0].content / 2 }}"
    with pytest.raises(TypeError):
        model.prompt(QUESTION)


@pytest.mark.parametrize(*cases("answerers/unknown_answerers"))
def test_unknown_answerers(name, message):
    with pytest.raises(ValueError, match=message):
        USERS.load("answerer", name)


def chat(**options: Any) -> Any:
    return USERS.load("answerer", "chat:m", base_url="http://x", **options)


def test_a_system_prompt_of_ones_own(tmp_path):
    file = tmp_path / "prompt.txt"
    file.write_text("Be brief.\n", encoding="utf-8")
    assert read_prompts(file).messages(QUESTION)[0]["content"] == "Be brief."
    assert read_prompts(file).in_plain_text(QUESTION).startswith("Be brief.\n\nSentence:")
    assert chat(system_prompt=file).version != chat().version  # its answers are stored apart
    file.write_text(" \n", encoding="utf-8")
    with pytest.raises(ValueError, match="system prompt, got an empty file; expected a text"):
        read_prompts(file)
    with pytest.raises(ValueError, match="system prompt, got no file; expected a text"):
        chat(system_prompt=tmp_path / "gone.txt")


def test_the_published_prompt_is_chosen_by_name():
    published = read_prompts(prompt="published")
    assert published.system.startswith("You are a precise question-answering assistant")
    assert published.asked(QUESTION) == read_prompts().asked(QUESTION)
    assert chat(prompt="published").version != chat().version
    with pytest.raises(ValueError, match=r"prompt, got 'own'; expected .project. or .published.$"):
        chat(prompt="own")


def test_prompts_carry_the_conventions_of_the_answers():
    system = read_prompts().system
    for constant in ("no prior events", "none", "which led to", "a number", "no pronouns"):
        assert constant in system


def make_successor_model(successors: dict[str, str]) -> Any:
    """A model without a template that goes on with the last word's successor, else that word."""
    torch, library = pytest.importorskip("torch"), transformers()
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = ["<pad>", "</s>", "<unk>", *sorted({*successors, *successors.values()})]
    ids = {word: i for i, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    special |= {"padding_side": "left"}
    fast = library.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)
    n = len(words)
    shape = {"vocab_size": n, "hidden_size": n, "intermediate_size": 8, "num_hidden_layers": 1}
    heads = {"num_attention_heads": 1, "head_dim": 8, "pad_token_id": 0, "eos_token_id": 1}
    model = library.LlamaForCausalLM(library.LlamaConfig(**shape, **heads)).eval()
    follows = [ids[successors.get(word, word)] for word in words]
    with torch.no_grad():
        # layers add nothing, so that the last word alone decides
        model.model.layers[0].self_attn.o_proj.weight.zero_()
        model.model.layers[0].mlp.down_proj.weight.zero_()
        model.model.embed_tokens.weight.copy_(torch.eye(n))
        model.lm_head.weight.zero_()
        model.lm_head.weight[follows, range(n)] = 1.0
    return GenerationModel(fast, model, read_prompts(), max_new_tokens=8)


# a blank line, the answer, its end, and a question of the model's own
ENDLESS = {"Answer:": "\n", "\n": "horse", "horse": ".\n", ".\n": "Question:", "goat": "goat"}


def test_a_model_without_a_template_answers_in_one_line():
    found = make_successor_model(ENDLESS)
    calls: list[object] = []
    found.model.register_forward_hook(lambda *given: calls.append(given))
    ids = found.tokenizer.get_vocab()
    answer = found.generate([[ids["goat"], ids["Answer:"]]])
    said = [(a.text, a.n_completion_tokens, a.finish_reason) for a in answer]
    assert said == [("horse .", 3, "stop")]
    assert len(calls) == 3  # nothing is computed after the line's end
    together = found.generate([[ids["goat"], ids["Answer:"]], [ids["goat"]]])
    assert together[0] == answer[0]  # what stands beside it goes on to the end
    assert (together[1].text, together[1].finish_reason) == (" ".join(["goat"] * 8), "length")


def test_a_model_that_chats_may_write_lines():
    found = make_successor_model(ENDLESS)
    found.tokenizer.chat_template = TEMPLATE
    assert not found.is_one_line
    (answer,) = found.generate([[found.tokenizer.get_vocab()["Answer:"]]])
    assert answer.text.startswith("horse .\n Question:")
    assert (answer.n_completion_tokens, answer.finish_reason) == (8, "length")


def test_answers_of_one_line_are_stored_apart(tmp_path):
    options = {"max_new_tokens": 8, "dtype": "float32"}
    made = {}
    for template in (None, TEMPLATE):
        name = f"transformers:{make_model(tmp_path, template)}"
        made[template] = USERS.load("answerer", name, **options)
    asked = {"prompts": read_prompts(), "max_new_tokens": 8}
    assert made[TEMPLATE].version.endswith(f" prompts {make_key(**asked)}")
    assert made[None].version.endswith(f" prompts {make_key(**asked, until='line')}")


def test_what_is_asked_in_the_same_words_is_generated_once(tmp_path, monkeypatch):
    parts = loaded(make_model(tmp_path))
    found = GenerationModel(*parts, read_prompts(), batch_size=2, max_new_tokens=8)
    asked = [GENERATED[i] for i in (3, 0, 1, 0, 3, 4, 0)]
    asked = [question._replace(entity=f"entity {i}") for i, question in enumerate(asked)]
    generate, generated = found.generate, []

    def record(prompts: Sequence[Sequence[int]], *given: Any) -> Any:
        generated.extend(map(tuple, prompts))
        return generate(prompts, *given)

    monkeypatch.setattr(found, "generate", record)
    answers = list(found.answer(asked))
    assert len(generated) == len(set(generated)) == 4
    assert sorted(place for place, _ in answers) == list(range(7))
    alone = {question: dict(found.answer([question]))[0] for question in GENERATED}
    in_order = [answer for _, answer in sorted(answers)]
    assert in_order == [alone[GENERATED[i]] for i in (3, 0, 1, 0, 3, 4, 0)]
    assert len({answer.text for answer in in_order}) > 1
