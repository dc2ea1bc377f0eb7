"""The pages that show Python, run as they stand."""

from __future__ import annotations

import pytest
from pages import differences, run_page


@pytest.mark.parametrize(("page", "blocks"), [("docs/tutorial.md", 10), ("docs/python.md", 15),
                                              ("docs/changes.md", 6), ("docs/joins.md", 8),
                                              ("docs/dask.md", 8), ("README.md", 1)])
def test_pages_print_what_they_show(page, blocks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found, run = run_page(page)
    assert found == []
    assert run >= blocks


def test_the_check_rejects_what_is_not_true():
    page = "```python\nprint(1)\n```\n\n```text\n{}\n```\n"
    assert differences(page.format("1"), {}) == []
    assert differences(page.format("2"), {}) == ["shown '2\\n', printed '1\\n'"]
    assert differences("```python\nprint(1)\n```\n", {}) == ["not shown: '1\\n'"]
