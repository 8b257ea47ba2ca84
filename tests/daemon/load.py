#!/usr/bin/env python3
"""Many small jobs at once, with clients that vanish, cancel and repeat. Speaks TAP.

load.py CUZK DAEMON VECTORS PARAMS [JOBS]: PARAMS has the 2KiB parameters of window and winning (setup
--insecure-seed 7). 16 clients at a time; what each of them saw must be a proof that verifies or a clear error,
every job must end once, and memory must be what it was.

SPDX-License-Identifier: Apache-2.0 OR MIT
"""
import collections
import concurrent.futures
import pathlib
import random
import sys
import tempfile
import threading
import time

import grpc

JOBS = int(sys.argv[5]) if len(sys.argv) > 5 else 200
sys.argv = sys.argv[:5] + ["window", "winning"]
import check  # noqa: E402  (reads the arguments)

CLIENTS = 16


class Load:
    def __init__(self, daemon, api, given):
        self.daemon, self.api, self.given = daemon, api, given
        self.lock, self.seen = threading.Lock(), collections.Counter()
        self.proofs = []

    def note(self, what):
        with self.lock:
            self.seen[what] += 1

    def request(self, index):
        # One in four repeats an earlier request.
        chance = random.Random(index)
        number = chance.randrange(max(1, index)) if chance.random() < 0.25 else index
        return self.given[number % len(self.given)], f"load-{number}"

    def waits(self, given, name):
        result = check.prove(self.api, given, request_id=name)
        if result.status == check.COMPLETED:
            with self.lock:
                self.proofs.append((given, bytes(result.proof)))
        self.note({1: "completed", 2: f"failed: {result.error_message}", 3: "cancelled"}.get(result.status, "?"))

    def vanishes(self, given, name, after):
        call = self.api.Prove.future(self.api.message("ProveRequest", submit=check.submission(self.api, given, request_id=name)))
        time.sleep(after)
        call.cancel()
        self.note("vanished")

    def cancels(self, given, name, after):
        ticket = self.api.SubmitProof(check.submission(self.api, given, request_id=name))
        time.sleep(after)
        self.api.CancelProof(self.api.message("CancelProofRequest", job_id=ticket.job_id))
        result = self.api.AwaitProof(self.api.message("AwaitProofRequest", job_id=ticket.job_id), timeout=300)
        self.note("ended after CancelProof" if result.status in (check.COMPLETED, check.CANCELLED) else f"? {result}")

    def one(self, index):
        chance = random.Random(1000 + index)
        given, name = self.request(index)
        try:
            kind = chance.random()
            if kind < 0.15:
                self.vanishes(given, name, chance.random() * 2)
            elif kind < 0.3:
                self.cancels(given, name, chance.random() * 2)
            else:
                self.waits(given, name)
        except grpc.RpcError as e:
            self.note(f"error {e.code().name}: {e.details()}")

    def run(self, jobs):
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            for future in [pool.submit(self.one, i) for i in jobs]:
                future.result()


def idle(daemon):
    return check.until(lambda: daemon.status()["running"] == 0 and daemon.status()["counters"]["queue_depth"] == 0, 300)


def resident(daemon):
    return daemon.status()["memory"]["resident_bytes"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        daemon = check.Daemon(folder)
        try:
            _, api = daemon.connect()
            load = Load(daemon, api, check.inputs())
            load.run(range(40)) # warm: parameters, pools, threads
            idle(daemon)
            before = resident(daemon)
            load.run(range(40, JOBS))
            check.check("all jobs have ended", idle(daemon))
            after = resident(daemon)
            good = {"completed", "cancelled", "vanished", "ended after CancelProof"}
            check.check(f"each was answered: {dict(load.seen)}", set(load.seen) <= good and sum(load.seen.values()) == JOBS, load.seen)
            wrong = [g.path.name for g, proof in random.Random(1).sample(load.proofs, min(12, len(load.proofs)))
                     if not check.verified(g, proof, g.partition if g.kind == "window" else None)]
            check.check("proofs verify", not wrong, wrong)
            c = daemon.status()["counters"]
            ended = c["total_completed"] + c["total_failed"] + sum(c["cancelled_by_kind"].values())
            check.check("each accepted job has ended once", ended == c["accepted"], c)
            name = f"memory is back: {before >> 20} MiB, then {after >> 20} MiB"
            if b"__asan_init" in pathlib.Path(check.DAEMON).read_bytes():
                check.skip(name, "the address sanitizer keeps what is freed")
            else:
                check.check(name, after <= before * 1.05)
            check.check("nothing is left of payloads", not [f for f in (pathlib.Path(folder) / "state" / "spool").glob("*")])
            check.check("ends well", daemon.end() == 0)
        finally:
            if daemon.process.poll() is None:
                daemon.process.kill()
    print(f"1..{check.count}")
    return check.failures != 0


if __name__ == "__main__":
    sys.exit(main())
