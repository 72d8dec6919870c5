"""What VS Code makes of a TextMate grammar: its rules, line by line, with the regular expressions of its own library."""

import ctypes
import ctypes.util
import json

LIBRARY = ctypes.util.find_library("onig")


class Region(ctypes.Structure):
    _fields_ = [("allocated", ctypes.c_int), ("count", ctypes.c_int), ("begin", ctypes.POINTER(ctypes.c_int)),
                ("end", ctypes.POINTER(ctypes.c_int)), ("history", ctypes.c_void_p)]


class Expression:
    """One of Oniguruma's, of ASCII."""

    def __init__(self, library, text):
        self.library, self.compiled = library, ctypes.c_void_p()
        bytes_ = text.encode()
        buffer = ctypes.create_string_buffer(bytes_)
        start = ctypes.addressof(buffer)
        status = library.onig_new(
            ctypes.byref(self.compiled), ctypes.c_void_p(start), ctypes.c_void_p(start + len(bytes_)), ctypes.c_uint(0),
            ctypes.byref(ctypes.c_char.in_dll(library, "OnigEncodingUTF8")),
            ctypes.c_void_p.in_dll(library, "OnigDefaultSyntax"), None)
        assert status == 0, f"{text}: Oniguruma's error {status}"

    def search(self, line, at):
        """The spans of the first match from there on and of its groups; None where there is none."""
        buffer = ctypes.create_string_buffer(line.encode())
        start, region = ctypes.addressof(buffer), Region()
        end = ctypes.c_void_p(start + len(line))
        found = self.library.onig_search(
            self.compiled, ctypes.c_void_p(start), end, ctypes.c_void_p(start + at), end, ctypes.byref(region), ctypes.c_uint(0))
        spans = [(region.begin[group], region.end[group]) for group in range(region.count)] if found >= 0 else None
        self.library.onig_region_free(ctypes.byref(region), 0)
        return spans


class Grammar:
    def __init__(self, path):
        self.library = ctypes.CDLL(LIBRARY)
        self.grammar = json.loads(path.read_text())
        self.known = {}

    def expression(self, text):
        if text not in self.known:
            self.known[text] = Expression(self.library, text)
        return self.known[text]

    def rules(self, patterns):
        """Those that match or begin something, in their order."""
        for rule in patterns:
            if "include" in rule:
                yield from self.rules([self.grammar["repository"][rule["include"].removeprefix("#")]])
            elif "match" in rule or "begin" in rule:
                yield rule
            else:
                yield from self.rules(rule["patterns"])

    def marked(self, *lines):
        """Each line with <name> where another scope begins, by its first two words, <> where none does."""
        open_rules, result = [self.grammar], []
        for line in lines:
            names = self.names(line + "\n", open_rules)
            text, last = "", ""
            for letter, name in zip(line, names):
                if name != last:
                    text, last = f"{text}<{name}>", name
                text += letter
            result.append(text)
        return result

    def names(self, line, open_rules):
        names, at = [""] * len(line), 0
        # Each step goes on or opens or closes a rule.
        for _ in range(4 * len(line)):
            top = open_rules[-1]
            outer = self.name(top) if len(open_rules) > 1 else ""
            wishes = [(top, "end")] if "end" in top else []
            wishes += [(rule, "match" if "match" in rule else "begin") for rule in self.rules(top.get("patterns", []))]
            found = [(spans[0][0], number, spans) for number, (rule, kind) in enumerate(wishes)
                     if (spans := self.expression(rule[kind]).search(line, at)) is not None]
            if not found:
                names[at:] = [outer] * (len(line) - at)
                return names
            start, number, spans = min(found)
            rule, kind = wishes[number]
            end = spans[0][1]
            names[at:start] = [outer] * (start - at)
            captures = rule.get(f"{kind}Captures" if kind != "match" else "captures", {})
            name = self.name(captures["0"]) if "0" in captures else self.name(rule) or outer
            names[start:end] = [name] * (end - start)
            for group, capture in captures.items():
                left, right = spans[int(group)]
                if left >= 0:
                    names[left:right] = [self.name(capture)] * (right - left)
            if kind == "begin":
                open_rules.append(rule)
            elif kind == "end":
                open_rules.pop()
            at = end
            if at >= len(line):
                return names
        raise AssertionError(f"it doesn't come to an end: {line!r}")

    @staticmethod
    def name(rule):
        return ".".join(rule.get("name", "").split(".")[:2])
