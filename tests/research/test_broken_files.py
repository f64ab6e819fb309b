"""Any file that the laboratory reads gives a value or one ValueError that names the file."""

import json

import pytest

from publish.form.sheets import find_form
from research.people.answers import read_answers
from research.systems.segmenters.longest_match import read_lexicon
from tests.product import test_broken_files as product
from tests.support.broken_files import Reader
from tests.support.invented_raters import invented_answers

PILOT = find_form("centerbench-pilot")
ANSWERS = "".join(json.dumps(line) + "\n" for line in invented_answers(PILOT, 0, "0" * 12))
READERS = [
    Reader("lexicon", "x.txt", "学生 5\n留心\n心机\t3\n".encode(), read_lexicon),
    Reader("answers", "x.jsonl", ANSWERS.encode(), lambda path: read_answers([path], PILOT)),
]


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_any_file_is_read_or_refused(reader, tmp_path, pytestconfig):
    product.test_whole_files_are_read(reader, tmp_path)
    product.test_any_file_is_read_or_refused(reader, tmp_path, pytestconfig)
    product.test_a_byte_that_is_no_text_is_named_with_its_line(reader, tmp_path)
