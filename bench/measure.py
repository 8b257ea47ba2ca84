#!/usr/bin/env python3
"""Run commands one after the other and report time and memory of each as JSON.

usage: measure.py [--repeat N] NAME COMMAND [NAME COMMAND ...]

COMMAND is one argument, split as a shell would. Of each: wall and CPU seconds (the least of N runs and all
of them), peak resident memory, and peak anonymous memory (RssAnon: without mapped files), sampled each
10 ms from /proc; the first command's figures divided by each other's are the ratios.

SPDX-License-Identifier: Apache-2.0 OR MIT
"""
import json
import os
import platform
import resource
import shlex
import subprocess
import sys
import time


def cpu_model():
    with open("/proc/cpuinfo") as f:
        for line in f:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def status_kib(pid, field):
    try:
        with open(f"/proc/{pid}/status") as f:
            for line in f:
                if line.startswith(field + ":"):
                    return int(line.split()[1])
    except OSError:
        pass
    return 0


def run_once(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    process = subprocess.Popen(shlex.split(command), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    os.set_blocking(process.stderr.fileno(), False)
    tail = b""
    anonymous = resident = 0
    while process.poll() is None:
        anonymous = max(anonymous, status_kib(process.pid, "RssAnon"))
        resident = max(resident, status_kib(process.pid, "VmHWM"))
        tail = (tail + (process.stderr.read() or b""))[-2000:]
        time.sleep(0.01)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode != 0:
        sys.exit(f"measure: exit code {process.returncode}: {command}\n{tail.decode(errors='replace')}")
    return {
        "wall_s": wall,
        "cpu_s": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "peak_rss_mib": resident / 1024,
        "peak_anonymous_mib": anonymous / 1024,
    }


def main():
    arguments = sys.argv[1:]
    repeat = 1
    if arguments[:1] == ["--repeat"]:
        repeat = int(arguments[1])
        arguments = arguments[2:]
    if len(arguments) < 2 or len(arguments) % 2 or repeat < 1:
        sys.exit(__doc__)
    results = []
    for name, command in zip(arguments[::2], arguments[1::2]):
        runs = [run_once(command) for _ in range(repeat)]
        best = min(runs, key=lambda r: r["wall_s"])
        results.append({"name": name, **{k: round(v, 3) for k, v in best.items()},
                        "peak_anonymous_mib": round(max(r["peak_anonymous_mib"] for r in runs), 1),
                        "all_wall_s": [round(r["wall_s"], 3) for r in runs]})
    first = results[0]
    for r in results[1:]:
        r["speed_of_first"] = round(first["wall_s"] / r["wall_s"], 3)
        r["peak_rss_of_first"] = round(r["peak_rss_mib"] / first["peak_rss_mib"], 3)
        r["anonymous_of_first_rss"] = round(r["peak_anonymous_mib"] / first["peak_rss_mib"], 3)
    print(json.dumps({"cpu": cpu_model(), "cores": os.cpu_count(), "results": results}, indent=2))


if __name__ == "__main__":
    main()
