#!/usr/bin/env python3
"""Two figures of the daemon, printed as JSON lines behind "# ". Speaks TAP.

figures.py CUZK DAEMON VECTORS PARAMS KIND [RUNS [WINNINGS]]: PARAMS has the 2KiB parameters of KIND and of winning
(setup --insecure-seed 7).

overhead: the same request proved by `cuzk prove`, by its own account of the proof alone, and by a resident daemon from
the call to the answer, in pairs, RUNS of them, either first in turn. Three figures: what part of a call no device works
on it; the CPU seconds of all threads and the time on the clock, each as the median of the pairs' ratios. The clock is
judged where nobody else used the machine.
winning: from acceptance to the device, of WINNINGS proofs of winning that come at random while the device always has
partitions of KIND: 50 and 99 %, beside what one of those partitions takes.

SPDX-License-Identifier: Apache-2.0 OR MIT
"""
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

KIND = sys.argv[5]
RUNS = int(sys.argv[6]) if len(sys.argv) > 6 else 9
WINNINGS = int(sys.argv[7]) if len(sys.argv) > 7 else 50
sys.argv = sys.argv[:5] + [KIND, "winning"]
import check  # noqa: E402  (reads the arguments)
import client  # noqa: E402


def figure(name, **values):
    rounded = {k: round(v, 4) if isinstance(v, float) else v for k, v in values.items()}
    print("# " + json.dumps({"figure": name, "kind": KIND, **rounded}), flush=True)


def by_command(given):
    """Seconds of the proof alone, on the clock and of all threads."""
    with tempfile.TemporaryDirectory() as out:
        said = subprocess.run([check.CUZK, "prove", str(given.path), "--srs", f"{check.PARAMS}/{KIND}-2k.srs", "--json", "--partition", "0",
                               "--device", "cpu", "--out", f"{out}/proof"], check=True, capture_output=True, text=True).stdout
        told = json.loads(said)
        return sum(p["seconds"] for p in told["partitions"]), told["cpu_seconds"]


def cpu_seconds(process):
    """Of all its threads so far."""
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in pathlib.Path(f"/proc/{process.pid}/task").iterdir()) / 1e9


def machine_seconds():
    """CPU seconds that the machine worked so far."""
    ticks = [int(n) for n in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
    return (sum(ticks[:3]) + sum(ticks[5:7])) / os.sysconf("SC_CLK_TCK")


def spans(job, name):
    return [s for p in job["partitions"] for s in p["spans"] if s["name"] == name]


class Overhead:
    """Pairs of the same proof, by the command and by the daemon."""

    def __init__(self, server, api, given):
        self.server, self.api, self.given = server, api, given
        self.command, self.daemon, self.own = [], [], []  # seconds on the clock, of all threads; without a device
        self.others = 0  # CPU seconds of others, while the daemon proved

    def by_daemon(self, run):
        cpu, machine, began = cpu_seconds(self.server.process), machine_seconds(), time.monotonic()
        result = check.prove(self.api, self.given, request_id=f"overhead-{run}", timeout=1800)
        seconds = time.monotonic() - began
        cpu = cpu_seconds(self.server.process) - cpu
        assert result.status == check.COMPLETED, result
        job = next(j for j in self.server.status()["jobs"] if j["request_id"] == f"overhead-{run}")
        self.daemon.append((seconds, cpu))
        self.own.append(seconds - sum(s["ms"] for s in spans(job, "device")) / 1000)
        self.others += max(0, machine_seconds() - machine - cpu)

    def run(self):
        check.prove(self.api, self.given, request_id="to load the parameters", timeout=1800)
        for run in range(RUNS):
            if run % 2:
                self.by_daemon(run)
            self.command.append(by_command(self.given))
            if not run % 2:
                self.by_daemon(run)

    def judge(self):
        ratio, cpu_ratio = (statistics.median(d[i] / c[i] for d, c in zip(self.daemon, self.command)) for i in (0, 1))
        command, served, own = (statistics.median(v) for v in ([c[0] for c in self.command], [d[0] for d in self.daemon], self.own))
        others = self.others / (os.cpu_count() * sum(d[0] for d in self.daemon))
        figure("overhead", runs=RUNS, command_s=command, daemon_s=served, ratio=ratio, cpu_ratio=cpu_ratio,
               around_the_device_s=own, others_use=others)
        check.check("at most 3 % of a call's time is not the device's", own <= 0.03 * served, (own, served))
        check.check("the daemon takes at most 3 % more CPU time than the command's proofs", cpu_ratio <= 1.03, cpu_ratio)
        name = "the daemon takes at most 3 % more time than the command's proofs"
        if others > 0.05:
            check.skip(name, f"others used {100 * others:.0f} % of the processors")
        else:
            check.check(name, ratio <= 1.03, ratio)


def winning(daemon, api, given, urgent):
    """The device always has work of KIND, and more waits."""
    chance = random.Random(1)
    tickets, waits, takes = [], [], {}
    api.PreloadSRS(api.message("PreloadSrsRequest", circuit_id="winning-2k"), timeout=600)

    def batch():
        return {j["request_id"]: j for j in daemon.status()["jobs"] if j["request_id"].startswith("batch-")}

    def going(jobs):
        return sum(j["state"] in ("queued", "running") for j in jobs.values())
    for i in range(WINNINGS):
        for _ in range(going(batch()), 3):
            tickets.append(api.SubmitProof(check.submission(api, given, request_id=f"batch-{len(tickets)}")))
        check.until(lambda: any(j["state"] == "running" for j in batch().values()))
        time.sleep(chance.random() * (max(takes.values()) / 1000 if takes else 1))
        result = check.prove(api, urgent, request_id=f"urgent-{i}", timeout=1800)
        assert result.status == check.COMPLETED, result
        jobs = {j["request_id"]: j for j in daemon.status()["jobs"]}
        waits.append(spans(jobs[f"urgent-{i}"], "device")[0]["at_ms"])
        takes.update({name: s["ms"] for name, j in batch().items() for s in spans(j, "device") if "ms" in s})
    check.finish(api, tickets)
    waits.sort()
    takes = sorted(takes.values())
    figure("winning", winnings=WINNINGS, wait_ms_p50=statistics.median(waits), wait_ms_p99=waits[(99 * WINNINGS - 1) // 100],
           partition_ms_p50=statistics.median(takes), partition_ms_max=max(takes))
    check.check("a winning proof is on the device within one partition's time", waits[(99 * WINNINGS - 1) // 100] <= max(takes) * 1.05,
                (waits[-3:], takes[-3:]))


def main():
    given = client.Input(check.INPUT, f"{KIND}-2KiB-1", *([0, 2] if KIND == "window" else []))
    urgent = client.Input(check.INPUT, "winning-2KiB-1")
    with tempfile.TemporaryDirectory() as folder:
        daemon = check.Daemon(pathlib.Path(folder))
        try:
            _, api = daemon.connect()
            measured = Overhead(daemon, api, given)
            measured.run()
            measured.judge()
            winning(daemon, api, given, urgent)
            check.check("it ends well", daemon.end(timeout=600) == 0)
        finally:
            if daemon.process.poll() is None:
                daemon.process.kill()
    print(f"1..{check.count}")
    return check.failures != 0


if __name__ == "__main__":
    sys.exit(main())
