"""Answerers: the three readers of CenterBench, the chat endpoint against a local server, generation models made on the spot, prompts."""

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from metrics.matched_pair_accuracy.answers import score_answers
from metrics.matched_pair_accuracy.options import Options
from systems.answerers import Settings, load_answerer
from systems.answers import Answer, Question, read_prompts, split_reasoning
from systems.center_embedding_readers import answer_from, believe_plausible, load_reader
from systems.chat_endpoint import ChatEndpoint, EndpointError, read_completion
from tests.centerbench_draw import question_rows

QUESTION = Question(
    "The goat that the horse kicked bleated.",
    "What kicked the goat?",
    "goat",
    "agent_identification",
)


def to_questions(rows: list[dict[str, Any]]) -> list[Question]:
    return [
        Question(row["sentence"], row["question"], row["entity"], row["question_type"])
        for row in rows
    ]


# -------------------------------------------------------------------------------------------------------------
# readers


@pytest.fixture(scope="module")
def scores() -> Callable[[str], dict[str, Any]]:
    rows = question_rows()
    found: dict[str, dict[str, Any]] = {}

    def score(name: str) -> dict[str, Any]:
        if name not in found:
            answers = dict(
                load_answerer(name, Settings(suite_version="1.0.0")).answer(to_questions(rows))
            )
            found[name] = score_answers(
                [answers[i].text for i in range(len(rows))], rows, Options()
            )
        return found[name]

    return score


def test_the_parser_is_the_ceiling(scores: Callable[[str], dict[str, Any]]) -> None:
    assert scores("structure")["accuracy"] == 1.0


def test_linear_order_scores_what_the_chance_column_says(
    scores: Callable[[str], dict[str, Any]],
) -> None:
    result = scores("linear-order")
    assert result["accuracy"] == pytest.approx(result["chance_linear_order"])
    assert result["accuracy_core"] == pytest.approx(result["chance_linear_order_core"])
    assert result["gap"] == 0.0  # it looks at no meaning
    for row in result["by_question_type"]:
        assert row["accuracy"] == pytest.approx(row["chance_linear_order"])


def test_the_plausibility_guesser_is_right_where_it_is_plausible_and_nowhere_else(
    scores: Callable[[str], dict[str, Any]],
) -> None:
    result = scores("plausibility")
    assert result["accuracy_plausible_core"] > 0.95
    assert result["gap_core"] > 0.8
    assert result["gap_core_low"] > 0.75
    assert result["opening_level_core"] == 1
    by_type = {row["question_type"]: row for row in result["by_question_type"]}
    assert by_type["entity_count"]["gap"] == 0.0


def test_the_plausibility_guesser_believes_the_same_of_both_members() -> None:
    reader = load_reader("plausibility", "1.0.0")
    rows = [
        row
        for row in question_rows()
        if row["question_type"] == "causal_sequence" and row["level"] < 4
    ]
    told: dict[tuple[str, str], str] = {}
    for i, answer in reader.answer(to_questions(rows)):
        pair = (rows[i]["pair_id"], rows[i]["entity"])
        assert told.setdefault(pair, answer.text) == answer.text
    assert len(told) == len(rows) / 2


def test_a_sentence_that_is_not_understood_is_said_to_be_so() -> None:
    (place, answer), *_ = load_reader("structure", "1.0.0").answer(
        [QUESTION._replace(sentence="The quokka slept.")]
    )
    assert (place, answer.text) == (0, "unknown")


def test_beliefs_answer_the_question_as_it_is_worded() -> None:
    events = [event_of("horse", "kick", "goat"), event_of("goat", "bleat", None)]
    asked = QUESTION._replace(question="What was affected by the goat?")
    assert answer_from(events, asked) == "none"
    assert answer_from(events, QUESTION._replace(entity="cow")) == "unknown"
    assert answer_from(events, QUESTION._replace(question="What bit the goat?")) == "unknown"
    nested = QUESTION._replace(
        question="What did the entity that was kicked do?", question_type="nested_dependency"
    )
    assert answer_from(events, nested) == "bleated"


def event_of(subject: str, base: str, patient: str | None) -> Any:
    from builders.centerbench.events import Event, Verb

    return Event(subject, Verb(base, f"{base}ed", f"{base}ed", f"{base}ing", f"{base}s"), patient)


def test_beliefs_are_the_best_of_all_orders() -> None:
    from itertools import permutations

    from builders.centerbench.parser import Lexicon, Reading
    from builders.centerbench.relations import KnowledgeBase

    knowledge = KnowledgeBase()
    lexicon = Lexicon(knowledge.nouns, knowledge.verbs)
    ranks = {"licensed": 2, "neutral": 1, "violates": 0}

    def score(reading: Reading) -> int:
        nouns = [knowledge.nouns[noun] for noun in reading.nouns]
        verbs = [knowledge.verbs[verb] for verb in reading.verbs]
        patients = [None, *nouns]
        return sum(
            ranks[knowledge.judge(noun, verb, patient).status]
            for noun, verb, patient in zip(nouns, verbs, patients, strict=False)
        )

    for sentence in sorted({row["sentence"] for row in question_rows() if row["level"] == 3})[:10]:
        (reading,) = lexicon.parse(sentence)
        best = max(score(Reading(order, reading.verbs)) for order in permutations(reading.nouns))
        assert score(believe_plausible(reading, knowledge)) == best


# -------------------------------------------------------------------------------------------------------------
# chat endpoint


class Server:
    """A chat endpoint that answers as it is told: `script` maps the number of the request to a status, headers and a body."""

    def __init__(
        self, script: Callable[[int, dict[str, Any]], tuple[int, dict[str, str], Any]]
    ) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.n_under_way = self.most_under_way = 0
        lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    number = len(outer.requests)
                    outer.requests.append(body | {"path": self.path})
                    outer.headers.append(dict(self.headers))
                    outer.n_under_way += 1
                    outer.most_under_way = max(outer.most_under_way, outer.n_under_way)
                status, headers, answer = script(number, body)
                with lock:
                    outer.n_under_way -= 1
                content = (
                    answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
                )
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Server]]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    servers: list[Server] = []

    def start(script: Callable[[int, dict[str, Any]], tuple[int, dict[str, str], Any]]) -> Server:
        servers.append(Server(script))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def completion(text: str | None, **message: Any) -> dict[str, Any]:
    usage = {
        "prompt_tokens": 11,
        "completion_tokens": 7,
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    return {
        "choices": [
            {"message": {"role": "assistant", "content": text, **message}, "finish_reason": "stop"}
        ],
        "usage": usage,
    }


def endpoint(url: str, **options: Any) -> ChatEndpoint:
    return ChatEndpoint(
        url, "a-model", read_prompts(), **{"sleep": lambda seconds: None, **options}
    )


def questions(n: int) -> list[Question]:
    return [QUESTION._replace(question=f"Question {i}?") for i in range(n)]


def number_of(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"]).split("Question: Question ")[1].split("?")[0]


def test_chat_answers_come_with_their_places(
    serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "a-secret")
    server = serve(lambda number, body: (200, {}, completion(f"answer {number_of(body)}")))
    answers = dict(
        endpoint(
            server.url, key_variable="SOME_KEY", options={"temperature": 0, "max_tokens": 9}
        ).answer(questions(20))
    )
    assert {i: answer.text for i, answer in answers.items()} == {
        i: f"answer {i}" for i in range(20)
    }
    assert answers[0] == Answer("answer 0", "", 11, 7, 5, "stop")
    request = server.requests[0]
    assert (request["path"], request["model"], request["max_tokens"]) == (
        "/v1/chat/completions",
        "a-model",
        9,
    )
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert "no prior events" in request["messages"][0]["content"]
    assert request["messages"][1]["content"].startswith(
        "Sentence: The goat that the horse kicked bleated.\nQuestion: Question "
    )
    assert server.headers[0]["Authorization"] == "Bearer a-secret"


def test_chat_sends_no_key_where_there_is_none(serve: Callable[..., Server]) -> None:
    server = serve(lambda number, body: (200, {}, completion("x")))
    list(endpoint(server.url, key_variable="NO_SUCH_KEY").answer(questions(1)))
    assert "Authorization" not in server.headers[0]


def test_chat_requests_run_at_once_but_not_more_than_allowed(serve: Callable[..., Server]) -> None:
    def slowly(number: int, body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
        time.sleep(0.05)
        return 200, {}, completion("x")

    server = serve(slowly)
    assert len(list(endpoint(server.url, concurrency=4).answer(questions(16)))) == 16
    assert 2 <= server.most_under_way <= 4


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_chat_tries_again_and_waits_as_long_as_it_is_told(
    serve: Callable[..., Server], status: int
) -> None:
    server = serve(
        lambda number, body: (
            (200, {}, completion("x")) if number >= 2 else (status, {"Retry-After": "7"}, "busy")
        )
    )
    waits: list[float] = []
    assert [
        answer.text for _, answer in endpoint(server.url, sleep=waits.append).answer(questions(1))
    ] == ["x"]
    assert waits == [7.0, 7.0]


def test_chat_waits_longer_each_time_where_it_is_not_told(serve: Callable[..., Server]) -> None:
    server = serve(
        lambda number, body: (200, {}, completion("x")) if number >= 4 else (500, {}, "oops")
    )
    waits: list[float] = []
    list(endpoint(server.url, sleep=waits.append, first_wait=1.0).answer(questions(1)))
    assert all(0.5 * 2**i <= wait <= 1.5 * 2**i for i, wait in enumerate(waits))
    assert len(waits) == 4


def test_chat_gives_up_with_a_message(serve: Callable[..., Server]) -> None:
    server = serve(lambda number, body: (503, {}, "down"))
    with pytest.raises(
        EndpointError, match=r"http://127.*: got HTTP 503 after 3 attempts; expected an answer"
    ):
        list(endpoint(server.url, n_retries=2).answer(questions(1)))
    server.close()
    with pytest.raises(EndpointError, match=r"got Connect.* after 2 attempts"):
        list(endpoint(server.url, n_retries=1).answer(questions(1)))


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (401, "no such key", "got HTTP 401 'no such key'; expected 200"),
        (404, "no such model", "got HTTP 404 'no such model'; expected 200"),
        (200, "<html>", "got '<html>'; expected a chat completion"),
        (200, {"choices": []}, "expected a chat completion"),
        (
            200,
            {"error": "overloaded"},
            'got \'{"error": "overloaded"}\'; expected a chat completion',
        ),
    ],
)
def test_chat_does_not_repeat_what_cannot_succeed(
    serve: Callable[..., Server], status: int, body: Any, message: str
) -> None:
    server = serve(lambda number, request: (status, {}, body))
    with pytest.raises(EndpointError) as error:
        list(endpoint(server.url, concurrency=1).answer(questions(5)))
    assert message in str(error.value)
    assert len(server.requests) <= 2  # the rest was called off


def test_chat_gives_what_arrived_before_it_fails(serve: Callable[..., Server]) -> None:
    server = serve(
        lambda number, body: (200, {}, completion("x")) if number < 5 else (400, {}, "enough")
    )
    answers = endpoint(server.url, concurrency=1).answer(questions(9))
    assert sorted(place for place, _ in itertools.islice(answers, 5)) == [0, 1, 2, 3, 4]
    with pytest.raises(EndpointError, match="HTTP 400 'enough'"):
        next(answers)


def test_chat_stops_asking_when_nobody_listens(serve: Callable[..., Server]) -> None:
    def slowly(number: int, body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
        time.sleep(0.02)
        return 200, {}, completion("x")

    server = serve(slowly)
    answers = endpoint(server.url, concurrency=2).answer(questions(200))
    next(answers)
    answers.close()
    assert len(server.requests) < 20


def test_reasoning_is_kept_apart_wherever_it_is() -> None:
    assert read_completion(completion("x", reasoning_content="because")).reasoning == "because"
    assert read_completion(completion("x", reasoning="because")).reasoning == "because"
    assert read_completion(completion("<think>hm</think>x"))[:2] == ("x", "hm")
    assert read_completion(completion(None))[:2] == ("", "")  # cut before the answer
    assert read_completion({"choices": [{"message": {"content": "x"}}]}) == Answer(
        "x", "", None, None, None, ""
    )


def test_split_reasoning() -> None:
    assert split_reasoning("x") == ("x", "")
    assert split_reasoning("hm</think>\nx") == ("x", "hm")
    assert split_reasoning("<think>\nhm\n</think>\n\nx\n") == ("x", "hm")
    assert split_reasoning("<think>hm") == ("", "hm")


# -------------------------------------------------------------------------------------------------------------
# generation models

TEMPLATE = (
    "{% for message in messages %}<{{ message.role }}> {{ message.content }} {% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
NO_SYSTEM = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
    + TEMPLATE
)


def make_model(
    folder: Path, template: str | None = None, *, is_encoder_decoder: bool = False
) -> str:
    """Saves a tiny model with random weights and a tokenizer of whole words; gives the folder."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = sorted(
        {
            word
            for text in (*read_prompts(), *QUESTION, "Sentence: Question: Answer:")
            for word in text.split()
        }
    )
    vocabulary = {
        word: i
        for i, word in enumerate(
            ["<pad>", "</s>", "<unk>", "<user>", "<system>", "<assistant>", *words]
        )
    }
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    fast.chat_template = template
    fast.save_pretrained(folder)
    torch.manual_seed(0)
    shape = {"vocab_size": len(vocabulary), "pad_token_id": 0, "eos_token_id": 1}
    if is_encoder_decoder:
        config = transformers.T5Config(
            initializer_factor=20.0,
            d_model=16,
            d_kv=8,
            d_ff=16,
            num_layers=1,
            num_heads=2,
            decoder_start_token_id=0,
            **shape,
        )
        model = transformers.T5ForConditionalGeneration(config)
    else:
        config = transformers.LlamaConfig(
            initializer_range=1.0,
            hidden_size=16,
            intermediate_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            max_position_embeddings=512,
            **shape,
        )
        model = transformers.LlamaForCausalLM(config)
    model.save_pretrained(folder)
    return str(folder)


GENERATED = [
    QUESTION,
    QUESTION._replace(question="How many?"),
    QUESTION._replace(sentence="The goat bleated."),
    QUESTION._replace(question="What kicked the goat that the horse kicked?"),
    QUESTION._replace(question="kicked?"),
]


@pytest.mark.parametrize("is_encoder_decoder", [False, True])
def test_generation_does_not_depend_on_batches(tmp_path: Path, is_encoder_decoder: bool) -> None:
    name = f"transformers:{make_model(tmp_path, is_encoder_decoder=is_encoder_decoder)}"
    together = dict(
        load_answerer(name, Settings(batch_size=5, max_new_tokens=8, dtype="float32")).answer(
            GENERATED
        )
    )
    alone = dict(
        load_answerer(name, Settings(batch_size=1, max_new_tokens=8, dtype="float32")).answer(
            GENERATED
        )
    )
    assert together == alone
    assert sorted(together) == list(range(5))
    assert all(answer.text for answer in together.values())
    assert (
        is_encoder_decoder or len({answer.text for answer in together.values()}) > 1
    )  # the tiny T5 always says the same
    assert all(answer.n_completion_tokens in range(9) for answer in together.values())
    assert all(
        answer.finish_reason == ("length" if answer.n_completion_tokens == 8 else "stop")
        for answer in together.values()
    )
    longest = max(range(5), key=lambda i: len(GENERATED[i].question + GENERATED[i].sentence))
    assert together[longest].n_prompt_tokens == max(
        answer.n_prompt_tokens or 0 for answer in together.values()
    )


@pytest.mark.parametrize(
    ("template", "start"),
    [
        (TEMPLATE, "<system> You read one English sentence"),
        (
            NO_SYSTEM,
            "<user> You read one English sentence",
        ),  # the system prompt goes before the question
        (None, "You read one English sentence"),
    ],
)
def test_prompts_follow_the_models_template(
    tmp_path: Path, template: str | None, start: str
) -> None:
    from systems.generation import load_generation_model

    model = load_generation_model(make_model(tmp_path, template), read_prompts(), max_new_tokens=2)
    prompt = model.prompt(QUESTION)
    assert prompt.startswith(start)
    assert (
        "Sentence: The goat that the horse kicked bleated.\nQuestion: What kicked the goat?"
        in prompt
    )
    assert prompt.endswith("<assistant>" if template else "\nAnswer:")


def test_a_broken_template_is_not_hidden(tmp_path: Path) -> None:
    from systems.generation import load_generation_model

    model = load_generation_model(make_model(tmp_path, TEMPLATE), read_prompts())
    model.tokenizer.chat_template = "{{ messages[0].content / 2 }}"
    with pytest.raises(TypeError):
        model.prompt(QUESTION)


# -------------------------------------------------------------------------------------------------------------
# names and prompts


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "oracle",
            "answerer, got 'oracle'; expected one of structure, linear-order, plausibility, transformers:MODEL, chat:MODEL",
        ),
        ("chat:", "answerer, got 'chat:'; expected one of"),
        ("chat:gpt", "chat:gpt: base_url, got none; expected the endpoint, such as"),
    ],
)
def test_unknown_answerers(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_answerer(name, Settings())


def test_a_system_prompt_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "prompt.txt"
    file.write_text("Be brief.\n", encoding="utf-8")
    assert read_prompts(file).messages(QUESTION)[0]["content"] == "Be brief."
    assert read_prompts(file).in_plain_text(QUESTION).startswith("Be brief.\n\nSentence:")
    own = load_answerer("chat:m", Settings(base_url="http://x", system_prompt=file))
    assert (
        own.version != load_answerer("chat:m", Settings(base_url="http://x")).version
    )  # its answers are stored apart
    file.write_text(" \n", encoding="utf-8")
    with pytest.raises(ValueError, match="system prompt, got an empty file; expected a text"):
        read_prompts(file)


def test_prompts_carry_the_conventions_of_the_answers() -> None:
    system = read_prompts().system
    for constant in ("no prior events", "none", "which led to", "a number", "no pronouns"):
        assert constant in system
