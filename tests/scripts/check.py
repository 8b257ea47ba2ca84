#!/usr/bin/env python3
"""Run all checks and count them; `make check` and `make check-long` are this.

A check is one test program of meson or one script. Each step's output goes to a file in build/check/log/;
the screen shows a line a step and the end of the log of what failed. The last line is
"N passed, N failed", with ", N skipped" where any was; the exit code is 0 if none failed.

SPDX-License-Identifier: Apache-2.0 OR MIT
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
LOG = BUILD / "check" / "log"
SKIP = 77  # the exit code by which a script says that it cannot tell here

TOTALS = {"passed": 0, "failed": 0, "skipped": 0}


def say(word, name, start, detail=""):
    print(f"{word:<7} {name} ({time.monotonic() - start:.0f} s){detail}", flush=True)


def tail(path, lines=25):
    for line in path.read_text(errors="replace").splitlines()[-lines:]:
        print("        | " + line, flush=True)


def run(log, command, env=None, append=False):
    with open(log, "a" if append else "w") as out:
        out.write("$ " + " ".join(map(str, command)) + "\n")
        out.flush()
        merged = dict(os.environ, **(env or {}))
        return subprocess.call(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, cwd=ROOT,
                               env=merged)


def script(name, command):
    """One check: exit code 0 passed, 77 skipped, else failed."""
    start = time.monotonic()
    log = LOG / f"{name}.log"
    code = run(log, command)
    word = {0: "passed", SKIP: "skipped"}.get(code, "failed")
    TOTALS[word] += 1
    say(word, name, start)
    if word != "passed":
        tail(log)
    return word == "passed"


def build(name, folder, options, env=None, targets=()):
    """Configure if need be and compile; one check."""
    start = time.monotonic()
    log = LOG / f"build-{name}.log"
    folder = BUILD / folder
    code = 0
    if not (folder / "build.ninja").exists():
        shutil.rmtree(folder, ignore_errors=True)
        code = run(log, ["meson", "setup", folder, "."] + options, env)
    else:
        code = run(log, ["meson", "configure", folder] + options)
    if code == 0:
        code = run(log, ["ninja", "-C", folder] + list(targets), append=True)
    word = "passed" if code == 0 else "failed"
    TOTALS[word] += 1
    say(word, f"build {name}", start)
    if code != 0:
        tail(log, 60)
    return code == 0


def meson_tests(name, folder, arguments, env=None, skip_if=None):
    """Each test program is a check. skip_if: a text that says that the tests cannot run on this machine."""
    start = time.monotonic()
    log = LOG / f"test-{name}.log"
    folder = BUILD / folder
    code = run(log, ["meson", "test", "-C", folder, "--no-rebuild", "--print-errorlogs"] + arguments, env)
    results = []
    record = folder / "meson-logs" / "testlog.json"
    if record.exists() and record.stat().st_mtime >= time.time() - (time.monotonic() - start) - 2:
        results = [json.loads(line) for line in record.read_text(errors="replace").splitlines()]
        shutil.copy(record, LOG / f"test-{name}.json")
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for result in results:
        word = {"OK": "passed", "EXPECTEDFAIL": "passed", "SKIP": "skipped"}.get(result["result"], "failed")
        if word == "failed" and skip_if and re.search(skip_if, result.get("stdout", "") + result.get("stderr", "")):
            word = "skipped"
        counts[word] += 1
        if word == "failed":
            print(f"        failed: {result['name']} ({result['result']})", flush=True)
    if code != 0 and counts["failed"] == 0 and not counts["skipped"]:
        counts["failed"] = 1  # meson itself went wrong
    for word, count in counts.items():
        TOTALS[word] += count
    word = "failed" if counts["failed"] else "passed"
    say(word, f"tests {name}", start, f": {counts['passed']} passed, {counts['failed']} failed"
        + (f", {counts['skipped']} skipped" if counts["skipped"] else ""))
    if counts["failed"]:
        tail(log, 80)


def suites(*names):
    return [word for name in names for word in ("--suite", name)]


# Sanitizers stop at the first finding, and look for leaks.
SANITIZED = {
    "ASAN_OPTIONS": "abort_on_error=0:detect_leaks=1:strict_string_checks=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:exitcode=66",
}


def short_checks():
    script("style", [sys.executable, "tests/scripts/check_style.py"])
    script("includes", [sys.executable, "tests/scripts/check_includes.py"])
    if build("gcc", "gcc", ["-Dwerror=true"], {"CC": "gcc", "CXX": "g++"}):
        script("exports", ["bash", "tests/scripts/check_exports.sh", "build/gcc"])
        script("install", ["bash", "tests/scripts/check_install.sh", "build/gcc"])
        meson_tests("gcc", "gcc", suites("unit", "vectors", "cli", "heavy"))
    if build("clang-sanitized", "sanitized",
             ["-Dwerror=true", "-Dbuildtype=debugoptimized", "-Db_sanitize=address,undefined", "-Db_lundef=false",
              "-Dbenchmarks=false"], {"CC": "clang", "CXX": "clang++"}):
        meson_tests("clang-sanitized", "sanitized", suites("unit", "vectors", "cli"), SANITIZED)
    if build("checked", "checked", ["-Dwerror=true", "-Dchecked=true", "-Dbenchmarks=false"],
             {"CC": "gcc", "CXX": "g++"}):
        meson_tests("checked", "checked", suites("unit", "vectors"))
    if build("threads", "threads", ["-Dbuildtype=debugoptimized", "-Db_sanitize=thread", "-Db_lundef=false",
                                    "-Dbenchmarks=false"], {"CC": "gcc", "CXX": "g++"}, ["tests/test_pool", "tests/test_cuda_msm_host"]):
        # Some kernels place memory where this sanitizer cannot follow.
        meson_tests("threads", "threads", ["pool", "cuda_msm_host"], SANITIZED, "unexpected memory mapping")


def long_checks():
    if build("gcc", "gcc", ["-Dwerror=true"], {"CC": "gcc", "CXX": "g++"}):
        meson_tests("long", "gcc", suites("long"))


def main():
    parser = argparse.ArgumentParser(description="Run all checks and count them.")
    parser.add_argument("--long", action="store_true", help="the tests of the largest circuits instead")
    arguments = parser.parse_args()
    LOG.mkdir(parents=True, exist_ok=True)
    if arguments.long:
        long_checks()
    else:
        short_checks()
    line = f"{TOTALS['passed']} passed, {TOTALS['failed']} failed"
    if TOTALS["skipped"]:
        line += f", {TOTALS['skipped']} skipped"
    print(line, flush=True)
    return 1 if TOTALS["failed"] or not TOTALS["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
