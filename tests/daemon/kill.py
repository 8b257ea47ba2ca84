#!/usr/bin/env python3
"""kill -9 at random moments under load: every accepted job ends once, and no result is lost. Speaks TAP.

kill.py CUZK DAEMON VECTORS PARAMS [KILLS]: PARAMS as for load.py.

SPDX-License-Identifier: Apache-2.0 OR MIT
"""
import pathlib
import random
import sys
import tempfile
import threading
import time

import grpc

KILLS = int(sys.argv[5]) if len(sys.argv) > 5 else 30
sys.argv = sys.argv[:5] + ["window"]
import check  # noqa: E402  (reads the arguments)


class Clients:
    """Submits all the time, and fetches what is ready."""

    def __init__(self, given):
        self.given, self.number = given, 0
        self.accepted, self.results, self.problems = {}, {}, []

    def submit(self, api, stop):
        while not stop.is_set():
            self.number += 1
            given = self.given[self.number % len(self.given)]
            try:
                ticket = api.SubmitProof(check.submission(api, given, request_id=f"kill-{self.number}"), timeout=20)
                self.accepted[ticket.job_id] = given
            except grpc.RpcError:
                return # it was killed
            time.sleep(0.15)

    def fetch(self, api, job, timeout_ms):
        result = api.AwaitProof(api.message("AwaitProofRequest", job_id=job, timeout_ms=timeout_ms), timeout=600)
        if result.status == check.TIMEOUT:
            return False
        if result.status != check.COMPLETED:
            self.problems.append(f"{job}: {result}")
        elif self.results.setdefault(job, bytes(result.proof)) != bytes(result.proof):
            self.problems.append(f"{job}: another result than before")
        return True

    def fetch_ready(self, api, stop):
        while not stop.is_set():
            for job in list(self.accepted):
                try:
                    self.fetch(api, job, 1)
                except grpc.RpcError as e:
                    if e.code() == grpc.StatusCode.NOT_FOUND:
                        self.problems.append(f"{job}: lost")
                    return


def one_life(folder, clients, seconds):
    daemon, stop = check.Daemon(folder), threading.Event()
    _, api = daemon.connect()
    threads = [threading.Thread(target=work, args=(api, stop)) for work in (clients.submit, clients.fetch_ready)]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    daemon.process.kill()
    daemon.process.wait()
    stop.set()
    for thread in threads:
        thread.join()


def main():
    moments = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        clients = Clients(check.inputs())
        for _ in range(KILLS):
            one_life(folder, clients, moments.random() * 1.5)
        daemon = check.Daemon(folder)
        try:
            _, api = daemon.connect()
            early = len(clients.results)
            for job in clients.accepted:
                clients.fetch(api, job, 0)
            check.check(f"after {KILLS} kills all of {len(clients.accepted)} accepted jobs have their proof",
                        set(clients.results) == set(clients.accepted) and not clients.problems, clients.problems[:5])
            check.check(f"of these {early} were fetched before, and are the same", not clients.problems)
            some = random.Random(1).sample(sorted(clients.accepted), min(12, len(clients.accepted)))
            check.check("proofs verify", all(check.verified(clients.accepted[j], clients.results[j], clients.accepted[j].partition)
                                             for j in some))
            left = list((pathlib.Path(folder) / "state" / "spool").glob("*"))
            check.check("no payload is left", not left, left)
            check.check("ends well", daemon.end() == 0)
        finally:
            if daemon.process.poll() is None:
                daemon.process.kill()
    print(f"1..{check.count}")
    return check.failures != 0


if __name__ == "__main__":
    sys.exit(main())
