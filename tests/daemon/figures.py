#!/usr/bin/env python3
"""Two figures of the daemon, printed as JSON lines behind "# ". Speaks TAP.

figures.py CUZK DAEMON VECTORS PARAMS KIND [RUNS [WINNINGS]]: PARAMS has the 2KiB parameters of KIND and of winning
(setup --insecure-seed 7).

overhead: the same request proved by `cuzk prove`, by its own account of the proof alone, and by a resident daemon from
the call to the answer, one after the other, RUNS times: the ratio of the medians; and what of the daemon's time is not
the prover's.
winning: from acceptance to the device, of WINNINGS proofs of winning that come at random while the device always has
partitions of KIND: 50 and 99 %, beside what one of those partitions takes.

SPDX-License-Identifier: Apache-2.0 OR MIT
"""
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

KIND = sys.argv[5]
RUNS = int(sys.argv[6]) if len(sys.argv) > 6 else 5
WINNINGS = int(sys.argv[7]) if len(sys.argv) > 7 else 50
sys.argv = sys.argv[:5] + [KIND, "winning"]
import check  # noqa: E402  (reads the arguments)
import client  # noqa: E402


def figure(name, **values):
    rounded = {k: round(v, 4) if isinstance(v, float) else v for k, v in values.items()}
    print("# " + json.dumps({"figure": name, "kind": KIND, **rounded}), flush=True)


def by_command(given):
    """Seconds of the proof alone, and of the whole command."""
    with tempfile.TemporaryDirectory() as out:
        began = time.monotonic()
        said = subprocess.run([check.CUZK, "prove", str(given.path), "--srs", f"{check.PARAMS}/{KIND}-2k.srs", "--json", "--partition", "0",
                               "--device", "cpu", "--out", f"{out}/proof"], check=True, capture_output=True, text=True).stdout
        whole = time.monotonic() - began
        return sum(p["seconds"] for p in json.loads(said)["partitions"]), whole


def spans(job, name):
    return [s for p in job["partitions"] for s in p["spans"] if s["name"] == name]


def overhead(server, api, given):
    alone, whole, daemon, around = [], [], [], []
    check.prove(api, given, request_id="to load the parameters", timeout=1800)
    for run in range(RUNS):
        a, w = by_command(given)
        began = time.monotonic()
        result = check.prove(api, given, request_id=f"overhead-{run}", timeout=1800)
        daemon.append(time.monotonic() - began)
        job = next(j for j in server.status()["jobs"] if j["request_id"] == f"overhead-{run}")
        around.append(daemon[-1] - sum(s["ms"] for s in spans(job, "device")) / 1000)
        alone.append(a)
        whole.append(w)
        assert result.status == check.COMPLETED, result
    command, served = statistics.median(alone), statistics.median(daemon)
    figure("overhead", runs=RUNS, command_proof_s=command, command_whole_s=statistics.median(whole), daemon_s=served,
           ratio=served / command, around_the_prover_s=statistics.median(around))
    check.check("the daemon takes at most 3 % more than the command's proofs", served <= 1.03 * command, (command, served))


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
            overhead(daemon, api, given)
            winning(daemon, api, given, urgent)
            check.check("it ends well", daemon.end(timeout=600) == 0)
        finally:
            if daemon.process.poll() is None:
                daemon.process.kill()
    print(f"1..{check.count}")
    return check.failures != 0


if __name__ == "__main__":
    sys.exit(main())
