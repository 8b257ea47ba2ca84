#!/usr/bin/env python3
"""Rules of CONTRIBUTING.md that a program can check: the length of files and functions, the licence line,
blanks, words that do not belong, and clang-format's opinion where version 14 is at hand.

SPDX-License-Identifier: Apache-2.0 OR MIT
"""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("include", "src", "tools", "tests", "bench", "fuzz", "examples", "scripts", ".ci")
FORMATTED = (".c", ".h", ".cpp", ".hpp")
CHECKED = FORMATTED + (".inc", ".S", ".py", ".sh", ".map")
MAX_LINES = 820
MAX_FUNCTION_LINES = 90
SPDX = "SPDX-License-Identifier: Apache-2.0 OR MIT"
# Spelled in halves, so that this file does not find itself.
WORDS = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK|WI" + r"P)\b(?!-)|/(?:home|root|work)/\w")


def files():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and (path.suffix in CHECKED or folder == ".ci"):
                yield path


def long_functions(lines):
    """Functions in the layout of .clang-format: the body's braces stand in the first column."""
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line == "}" and start:
            if number - start - 1 > MAX_FUNCTION_LINES:
                yield start, number - start - 1
            start = None


def check_text(path):
    text = path.read_text()
    lines = text.split("\n")
    if SPDX not in "\n".join(lines[:40]):
        yield "no line " + SPDX
    if len(lines) > MAX_LINES:
        yield f"{len(lines)} lines are more than {MAX_LINES}"
    if not text.endswith("\n") or text.endswith("\n\n"):
        yield "does not end with one newline"
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            yield f"line {number}: blanks at the end"
        if "\t" in line and path.suffix != ".sh":
            yield f"line {number}: a tab"
        word = WORDS.search(line)
        if word:
            yield f"line {number}: '{word.group()}'"
    if path.suffix in (".c", ".cpp"):
        for start, length in long_functions(lines):
            yield f"line {start}: a function of {length} lines, more than {MAX_FUNCTION_LINES}"


def check_format(sources):
    """What clang-format would change; None when there is no version 14 (others lay out differently)."""
    tool = shutil.which("clang-format-14") or shutil.which("clang-format")
    if not tool or "version 14." not in subprocess.run([tool, "--version"], capture_output=True, text=True).stdout:
        return None
    result = subprocess.run([tool, "--dry-run", "--Werror"] + list(map(str, sources)), capture_output=True, text=True)
    return sorted(set(re.findall(r"^(.*?):\d+:\d+: error", result.stderr, re.M)))


def main():
    sources = [p for p in files() if p.suffix in FORMATTED]
    if "--list-sources" in sys.argv[1:]:
        print("\n".join(map(str, sources)))
        return 0
    problems = [f"{path.relative_to(ROOT)}: {problem}" for path in files() for problem in check_text(path)]
    unformatted = check_format(sources)
    if unformatted is None:
        print("no clang-format 14 here: the layout was not checked")
    problems += [f"{pathlib.Path(p).relative_to(ROOT)}: not as clang-format lays it out" for p in unformatted or []]
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems" if problems else "no problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
