"""Finds operators and constants in C++ that scripts/mutants.py can change, and rewrites them.

Only what runs is a site: bodies of functions, without comments, strings, template arguments, `constexpr`
declarations, `static_assert`, `requires`, `case` labels and sizes of arrays, which the compiler evaluates.
clang-format puts blanks around binary operators and none around `<` and `>` of templates.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = ROOT / "scripts/mutants.hpp"
SPACE = "::rtindex_mutants::"

FOLDERS = ("keys", "scene", "answers", "storage", "execution", "tracers", "indexes")
# Numbers are here because of the quotes between their digits.
_NOT_CODE = re.compile(r"""
    (?P<kept>(?<!\w)\d[\w.']*)
  | //[^\n]* | /\*.*?\*/
  | R"(?P<delimiter>[^(\s]*)\(.*?\)(?P=delimiter)"
  | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
  | ^[ \t]*\#(?:\\\n|[^\n])*
""", re.VERBOSE | re.DOTALL | re.MULTILINE)
_LABEL = re.compile(r"\b(?:case\b[^;{}?]*?(?<!:)|default):(?!:)")
_AT_COMPILE_TIME = re.compile(
    r"\b(constexpr|static_assert|using|requires|concept|assert|decltype)\b")
_EXTENT = re.compile(r"\s*(?:(?:static|const|thread_local)\s+)*(?!return\b)[\w:@]+\s*(?:[*&]\s*|\s)\w+"
                     r"(?:\[[^\]]*\])*\[[^\]]*$")
_TYPE = re.compile(r"(?:template @*\s+)?(?:class|struct|union|enum)\b")
_VALUE = re.compile(r"(?:[\w@\]({]|(?:[=,?:(]|\breturn)\s+)$")
_NUMBER = re.compile(r"(?<![\w.'])(?:0[xX][\da-fA-F']+|\d[\d']*(?:\.[\d']*)?(?:[eE][+-]?\d+)?)[uUlLzZfF]*"
                     r"(?![\w.'])")
_BOOL = re.compile(r"\b(?:true|false)\b")
_EXTREME = re.compile(r"\bstd::(min|max)(?=@*\()")
_LOGICAL = re.compile(r"(?<= )(&&|\|\|)(?=\s)")
_PREFIX = re.compile(r"(?<=[\s(\[,])(\+\+|--|!)(?=[\w(*:])")


@dataclasses.dataclass(frozen=True)
class Site:
    """A place that can be changed; `pattern` is what to write there, with {} for the mutant's number."""

    file: str
    line: int
    text: str
    """The line, without the blanks around it."""
    change: str
    """What a mutant changes, as `< -> <=`; the second of its kind in a line ends in ` (2)`."""
    begin: int
    end: int
    pattern: str

    @property
    def key(self) -> tuple[str, str, str]:
        """Stays the same when lines move."""
        return self.file, self.text, self.change

    @property
    def place(self) -> str:
        """Names this site among those of an earlier run."""
        return f"{self.key} {self.line}"


def _operators() -> dict[str, dict[str, tuple[str, str]]]:
    """The list in mutants.hpp: kind -> operator -> (name, other operator)."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for kind, name, own, other in re.findall(r"^RTINDEX_MUTANT_(\w+)\((\w+), (\S+), (\S+)\)$",
                                             HEADER.read_text(), re.MULTILINE):
        found.setdefault(kind, {})[own] = name, other
    return found


OPERATORS = _operators()
_BINARY = re.compile(r"(?<= )(" + "|".join(
    re.escape(own) for own in sorted((*OPERATORS["BINARY"], *OPERATORS["ASSIGNMENT"]), key=len, reverse=True))
    + r")(?=\s)")


def _blank(text: str, blank: str = " ") -> str:
    return re.sub(r"[^\n]", blank, text)


def _without_device_code(text: str) -> str:
    """Blanks what only a build with CUDA compiles."""
    lines, skipping = text.split("\n"), []
    for number, line in enumerate(lines):
        if re.match(r"\s*#\s*if", line):
            skipping.append("CUDA" in line and "!defined" not in line)
        elif re.match(r"\s*#\s*el", line) and skipping:
            skipping[-1] = False
        elif re.match(r"\s*#\s*endif", line) and skipping:
            skipping.pop()
        elif any(skipping):
            lines[number] = " " * len(line)
    return "\n".join(lines)


def _template_arguments(code: str) -> str:
    """Writes @ for template arguments and parameters, with their brackets."""
    out, depth, begin = list(code), 0, 0
    for found in re.finditer(r"(?<=[\w\]])<(?![\s=<])|(?<=\btemplate )<|(?<![\s\-])>|;", code):
        if found[0] == ";":
            depth = 0
        elif found[0] == "<" and not code.endswith("operator", 0, found.start()):
            begin = begin if depth else found.start()
            depth += 1
        elif found[0] == ">" and depth:
            depth -= 1
            if depth == 0:
                out[begin:found.end()] = _blank(code[begin:found.end()], "@")
    return "".join(out)


def _bodies(code: str) -> list[tuple[int, int]]:
    """Statements inside of functions, each from behind the last `;` or brace of a block to its end."""
    spans, scopes, begin = [], ["elsewhere"], 0
    for found in re.finditer(r"[;{}]", code):
        head = code[begin:found.start()]
        if found[0] == "{" and _VALUE.search(head):
            # Braces around values are part of a statement.
            scopes.append("value" if scopes[-1] in ("body", "value") else "fixed")
            continue
        if found[0] == "}" and scopes[-1] in ("value", "fixed"):
            scopes.pop()
            continue
        if scopes[-1] == "body":
            spans.append((begin, found.start()))
        if found[0] == "{":
            if _TYPE.match(head.strip()) or "namespace" in head:
                scopes.append("elsewhere")
            else:
                scopes.append("body" if scopes[-1] in ("body", "value") or ")" in head else "elsewhere")
        elif found[0] == "}":
            scopes.pop()
        begin = found.end()
    return spans


def _candidates(code: str, begin: int, end: int):
    """(begin, end, kind of change, pattern) within a statement."""
    for found in _BINARY.finditer(code, begin, end):
        name, other = (OPERATORS["BINARY"] | OPERATORS["ASSIGNMENT"])[found[0]]
        yield found, f"{found[0]} -> {other}", f"{found[0]} {SPACE}{name}<{{}}>{{{{}}}} {found[0]}"
    for found in _LOGICAL.finditer(code, begin, end):
        is_and = "true" if found[0] == "&&" else "false"
        both = [f"{SPACE}logical_{side}<{{0}}, {is_and}>()" for side in ("left", "right")]
        yield found, f"{found[0]} -> {'||' if found[0] == '&&' else '&&'}", f"&& {both[0]} || {both[1]} &&"
    for found in _PREFIX.finditer(code, begin, end):
        name, other = OPERATORS["PREFIX"][found[0]]
        yield (found, f"{found[0]} -> {'nothing' if other == '!!' else other}",
               f"{SPACE}{name}<{{}}>{{{{}}}} ->* ")
    for found in _NUMBER.finditer(code, begin, end):
        yield found, f"{found[0]} -> {found[0]} + 1", f"{SPACE}number<{{}}>({found[0]})"
    for found in _BOOL.finditer(code, begin, end):
        yield found, f"{found[0]} -> {'false' if found[0] == 'true' else 'true'}", f"{SPACE}flag<{{}}>({found[0]})"
    for found in _EXTREME.finditer(code, begin, end):
        is_min = "true" if found[1] == "min" else "false"
        yield (found, f"{found[0]} -> std::{'max' if found[1] == 'min' else 'min'}",
               f"{SPACE}extreme<{{}}, {is_min}>::of")


def find_sites(file: str, text: str) -> list[Site]:
    """The sites of a file, from its top to its end."""
    code = _NOT_CODE.sub(lambda found: found["kept"] or _blank(found[0]), _without_device_code(text))
    code = _LABEL.sub(lambda found: _blank(found[0][:-1]) + ";", code)
    code = _template_arguments(code)
    lines, places = text.split("\n"), []
    for begin, end in _bodies(code):
        for found, change, pattern in _candidates(code, begin, end):
            before, after = code[begin:found.start()], code[found.end():end]
            if _AT_COMPILE_TIME.search(before) or _EXTENT.fullmatch(before):
                continue
            if before.rstrip().endswith("...") or after.lstrip().startswith("..."):
                continue
            places.append((found.start(), found.end(), change, pattern))
    sites, seen = [], {}
    for begin, end, change, pattern in sorted(places):
        line = text.count("\n", 0, begin)
        seen[line, change] = count = seen.get((line, change), 0) + 1
        sites.append(Site(file, line + 1, lines[line].strip(), change + (f" ({count})" if count > 1 else ""),
                          begin, end, pattern))
    return sites


def rewrite(text: str, sites: dict[int, Site]) -> str:
    """The file with its sites, by number, made changeable; lines stay where they are."""
    for number, site in sorted(sites.items(), key=lambda entry: entry[1].begin, reverse=True):
        text = text[:site.begin] + site.pattern.format(number) + text[site.end:]
    return text


def host_files() -> list[str]:
    """Files of FOLDERS that host code compiles: what sources of the library and tests include."""
    texts = {}
    for path in sorted((*ROOT.glob("src/**/*.[ch]pp"), *ROOT.glob("tests/**/*.[ch]pp"))):
        if not {"cuda", "optix"} & set(path.relative_to(ROOT).parts[:-1]):
            texts[str(path.relative_to(ROOT))] = _without_device_code(path.read_text())
    reached, waiting = set(), [file for file in texts if file.endswith(".cpp")]
    while waiting:
        file = waiting.pop()
        if file in reached or file not in texts:
            continue
        reached.add(file)
        for name in re.findall(r'^#include "([^"]+)"', texts[file], re.MULTILINE):
            waiting += [f"src/{name}", f"tests/{name}"]
    return sorted(file for file in reached if file.startswith(tuple(f"src/{name}/" for name in FOLDERS)))
