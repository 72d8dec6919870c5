"""What a terminal sends for keys, by the names that tmux and emacs have for them."""

from __future__ import annotations

_NAMED = {
    "Enter": b"\r", "Tab": b"\t", "Escape": b"\x1b", "Space": b" ", "BSpace": b"\x7f", "Delete": b"\x1b[3~",
    "Up": b"\x1b[A", "Down": b"\x1b[B", "Right": b"\x1b[C", "Left": b"\x1b[D", "Home": b"\x1b[H", "End": b"\x1b[F",
    "PageUp": b"\x1b[5~", "PageDown": b"\x1b[6~"}


def key_bytes(word: str) -> bytes:
    """Of a key's name, of `C-x` for one with Control, or of text."""
    if word in _NAMED:
        return _NAMED[word]
    if len(word) == 3 and word.startswith("C-") and word.isascii():
        return bytes([ord(word[2]) & 0x1F])
    return word.encode()
