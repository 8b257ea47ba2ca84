#!/usr/bin/env python3
"""The floors of the house: who may include whom.

- A room of src/ includes only itself and the rooms below it (FLOORS). Rooms on one floor do not include
  each other.
- Quoted includes name their room ("base/error.h"); they are found from src/, never relative to the file.
- Of include/cuzk/, every room may use status.h; the rest only the room api, tools/ and examples/.
- tools/ and examples/ use the public headers, and their own; tools/cuzk-daemon/ uses daemon/daemon.h, and
  tools/cuzk-bench/ the rooms up to api, which it measures.
- Every header compiles alone, with gcc and with clang where it is installed.

SPDX-License-Identifier: Apache-2.0 OR MIT
"""
import concurrent.futures
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Lowest first. src/meson.build lists the same rooms in the order in which they are linked.
FLOORS = [
    ["base"],
    ["field"],
    ["curve", "hash"],
    ["ntt", "msm"],
    ["r1cs"],
    ["gadgets"],
    ["circuits"],
    ["groth16"],
    ["backend"],
    ["api"],
    ["engine"],
    ["daemon"],
]
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)
SOURCES = (".c", ".h", ".cpp", ".hpp", ".inc")
# What src/meson.build gives the sources of eight lanes, for the headers that are for those only.
LANES = ["-mbmi2", "-madx", "-mavx512f", "-mavx512dq", "-mavx512bw", "-mavx512vl", "-mavx512vbmi", "-mavx512ifma"]


def files(folder):
    return sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in SOURCES)


def room_includes(path, room, mark, name):
    """What is wrong with one include of a file in a room; None if nothing is."""
    if name.startswith("cuzk/"):
        if name != "cuzk/status.h" and room != "api":
            return f"only the room api may include <{name}>"
        return None
    if mark == "<":
        return None
    other = name.split("/")[0]
    if "/" not in name or other not in FLOOR:
        return f'"{name}" does not begin with a room'
    if not (ROOT / "src" / name).exists():
        return f'"{name}" does not exist'
    if other != room and FLOOR[other] >= FLOOR[room]:
        return f"the room {room} may not include {name}: it is not below"
    return None


def program_includes(path, mark, name):
    if path.parent.name == "cuzk-daemon" and name == "daemon/daemon.h":
        return None
    if path.parent.name == "cuzk-bench" and FLOOR.get(name.split("/")[0], FLOOR["engine"]) < FLOOR["engine"]:
        return None
    if name.startswith("cuzk/") and (ROOT / "include" / name).exists():
        return None
    if mark == "<" or (path.parent / name).exists() or (ROOT / "tools" / name).exists():
        return None
    return f'"{name}" is neither a public header nor a neighbour'


def check_includes():
    problems = []
    for path in files("src"):
        room = path.relative_to(ROOT / "src").parts[0]
        if room not in FLOOR:
            problems.append(f"{path.relative_to(ROOT)}: {room} is not a room of the list")
            continue
        for mark, name in INCLUDE.findall(path.read_text()):
            problem = room_includes(path, room, mark, name)
            if problem:
                problems.append(f"{path.relative_to(ROOT)}: {problem}")
    for folder in ("tools", "examples"):
        for path in files(folder):
            for mark, name in INCLUDE.findall(path.read_text()):
                problem = program_includes(path, mark, name)
                if problem:
                    problems.append(f"{path.relative_to(ROOT)}: {problem}")
    for path in files("include"):
        for mark, name in INCLUDE.findall(path.read_text()):
            if mark == '"' or (name.startswith("cuzk/") and not (ROOT / "include" / name).exists()):
                problems.append(f"{path.relative_to(ROOT)}: '{name}' cannot be found by a user of the library")
    return problems


def check_meson_order():
    """The rooms of src/meson.build are those of the floors, and none comes before one below it."""
    text = (ROOT / "src/meson.build").read_text()
    lists = re.findall(r"^(?:daemon_)?rooms = [^\[\n]*\[([^\]]*)\]", text, re.M)
    rooms = re.findall(r"'(\w+)'", ",".join(lists))
    problems = [f"src/meson.build: {room} is not a room of the list" for room in rooms if room not in FLOOR]
    floors = [FLOOR[room] for room in rooms if room in FLOOR]
    if floors != sorted(floors) or set(rooms) != set(FLOOR):
        problems.append("src/meson.build: the rooms are not in the order of the floors")
    return problems


def compile_alone(compiler, path):
    language = "c++" if path.suffix == ".hpp" else "c"
    standard = "c++17" if language == "c++" else "gnu11"
    warnings = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-Wno-unused-function"]
    places = ["-I" + str(ROOT / "include"), "-I" + str(ROOT / "src"), "-I" + str(path.parent), "-I" + str(ROOT / "tools")]
    lanes = path.stem.endswith(("8", "_lanes"))
    if lanes and platform.machine() != "x86_64":
        return None
    flags = LANES if lanes else []
    result = subprocess.run([compiler, "-x", language, "-std=" + standard, "-D_GNU_SOURCE", "-fsyntax-only"] + warnings
                            + flags + places + ["-"], input=f'#include "{path}"\n', capture_output=True, text=True)
    if result.returncode:
        return f"{path.relative_to(ROOT)} does not compile alone with {compiler}:\n{result.stderr.strip()}"
    return None


def check_headers():
    headers = [p for folder in ("include", "src", "tools") for p in files(folder) if p.suffix in (".h", ".hpp")]
    compilers = [c for c in ("gcc", "clang") if shutil.which(c)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        jobs = [workers.submit(compile_alone, c, h) for c in compilers for h in headers]
        return [problem for problem in (job.result() for job in jobs) if problem]


def main():
    problems = check_includes() + check_meson_order() + check_headers()
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems" if problems else "the floors stand")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
