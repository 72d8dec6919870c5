"""The rows of the bench: each a module whose `measure` yields lines."""
