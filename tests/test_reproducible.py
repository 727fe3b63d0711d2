"""Two cold builds give the same bytes; a chapter that counts and one that simulates stand for the book here, for speed."""

from reproducible import differences


def test_two_cold_builds_are_byte_identical(tmp_path):
    assert differences(tmp_path, ["book/a/a1", "book/b/b3", "book/checks", "book/references"]) == []
