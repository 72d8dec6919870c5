"""What is raised."""

from __future__ import annotations


class CurfewFailure(AssertionError):
    """The program did something else than the test says."""

    def __init__(self, expected: str, seen: str) -> None:
        super().__init__(f"expected  {expected}\nseen      {seen}")
        self.expected = expected
        """What should have been, in words."""
        self.seen = seen
        """What was instead."""


class CurfewError(RuntimeError):
    """Something couldn't be done at all: no curfew, a program that can't be run, a supervisor that doesn't answer."""
