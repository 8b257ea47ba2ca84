#!/usr/bin/env python3
"""Our sums and transforms beside those of blst, bellperson and gnark-crypto, in one run.

usage: compare.py BUILD_FOLDER RUST_PEER GO_PEER [--repeat N] [--cpu auto] [--logs g1=16,18,20 g2=16,18,20 ntt=20,22,24]

BUILD_FOLDER: where meson built bench/bench_msm and bench/bench_ntt; RUST_PEER and GO_PEER: the programs of
bench/peers (cargo build --release; go build), "-" to leave one out. One size and one number of threads at a
time: ours, then each peer, all on the same CPUs. Prints JSON: for each the least wall time in milliseconds
and the peers' divided by ours.

SPDX-License-Identifier: Apache-2.0 OR MIT
"""
import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys


def cpu_model():
    with open("/proc/cpuinfo") as f:
        for line in f:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def least_ms(command, threads):
    environment = dict(os.environ, RAYON_NUM_THREADS=str(threads), EC_GPU_NUM_THREADS=str(threads))
    cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))[:threads]))
    done = subprocess.run(["taskset", "-c", cpus] + list(map(str, command)), stdout=subprocess.PIPE, env=environment,
                          check=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if len(lines) != 1:
        sys.exit(f"compare: {len(lines)} measurements instead of one from {command}")
    return lines[0]["min_ns"] / 1e6


def ours(build, what, log, repeat, threads, cpu):
    program, only = {"g1": ("bench_msm", "msm_g1_uniform"), "g2": ("bench_msm", "msm_g2_uniform"),
                     "ntt": ("bench_ntt", "ntt_forward")}[what]
    return [build / "bench" / program, "--only", only, "--min-log", log, "--max-log", log, "--reps", repeat,
            "--threads", threads, "--cpu", cpu]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("rust")
    parser.add_argument("go")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--cpu", default="auto", help="our instruction set")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--logs", nargs="+", default=["g1=16,18,20", "g2=16,18,20", "ntt=20,22,24"])
    a = parser.parse_args()
    rows = []
    for item in a.logs:
        what, logs = item.split("=")
        for log in map(int, logs.split(",")):
            for threads in a.threads:
                row = {"what": what, "log": log, "threads": threads,
                       "ours_ms": round(least_ms(ours(a.build, what, log, a.repeat, threads, a.cpu), threads), 2)}
                peers = {"bellperson" if what == "ntt" else "blst": (a.rust, [what, log, a.repeat]),
                         "gnark": (a.go, [what, log, a.repeat, threads])}
                for name, (program, arguments) in peers.items():
                    if program != "-":
                        row[name + "_ms"] = round(least_ms([program] + arguments, threads), 2)
                        row[name + "_by_ours"] = round(row[name + "_ms"] / row["ours_ms"], 2)
                rows.append(row)
                print(json.dumps(row), file=sys.stderr, flush=True)
    print(json.dumps({"cpu": cpu_model(), "repeat": a.repeat, "rows": rows}, indent=2))


if __name__ == "__main__":
    main()
