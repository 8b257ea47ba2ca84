#!/usr/bin/env python3
"""More calls and messages than there are places, clients that leave while they wait, a log that nobody reads. Speaks
TAP.

crowd.py CUZK DAEMON VECTORS PARAMS: PARAMS has the 2KiB parameters of window and winning (setup --insecure-seed 7).

SPDX-License-Identifier: Apache-2.0 OR MIT
"""
import collections
import os
import socket
import sys
import tempfile
import threading
import time

import grpc

sys.argv = sys.argv[:5] + ["window", "winning"]
import check  # noqa: E402  (reads the arguments)


def half_sent(path, count):
    """A connection with so many calls of Prove, of each the first bytes of a message that does not come."""
    def frame(kind, flags, stream, body):
        return len(body).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + body

    def literal(name, value):
        return bytes([0, len(name)]) + name + bytes([len(value)]) + value
    head = b"\x83\x86" + literal(b":path", b"/cuzk.v1.ProvingEngine/Prove") + literal(b":authority", b"x") + \
        literal(b"content-type", b"application/grpc") + literal(b"te", b"trailers")
    s = socket.socket(socket.AF_UNIX)
    s.connect(str(path))
    s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b""))
    for i in range(count):
        s.sendall(frame(1, 4, 2 * i + 1, head) + frame(0, 0, 2 * i + 1, b"\0" + (1 << 19).to_bytes(4, "big") + bytes(100)))
    return s


def messages_wait_for_places(given):
    """Two places, which calls hold whose messages do not come: others wait, till those lose their places (after half a
    minute)."""
    with tempfile.TemporaryDirectory() as folder:
        daemon = check.Daemon(folder, "--set", "daemon.message_limit=1MiB", "--set", "daemon.arriving_limit=2MiB")
        _, api = daemon.connect()
        sent = []

        def ask(timeout=check.PATIENCE):
            sent.append(f"place-{len(sent)}")
            return api.Prove.future(api.message("ProveRequest", submit=check.submission(api, given, request_id=sent[-1])), timeout=timeout)

        def one_that_waits():
            """Those whose messages do not come may be late themselves: then it is answered, and another one asks."""
            end = time.monotonic() + check.PATIENCE
            while time.monotonic() < end:
                waiting = ask()
                time.sleep(1)
                if not waiting.done():
                    return waiting
            return None
        try:
            ask().result() # the parameters are there now
            slow = half_sent(daemon.socket, 2)
            waiting = one_that_waits()
            check.check("a message waits while others are on their way", waiting)
            check.check("small calls do not", api.GetStatus(api.message("GetStatusRequest"), timeout=check.PATIENCE).uptime_seconds >= 0)
            many = [half_sent(daemon.socket, 90) for _ in range(13)]

            def refused():
                """Who gives up makes room, and so does who gets a place: more half-sent ones fill it again."""
                many.append(half_sent(daemon.socket, 90))
                for call in [ask(5), ask(5)]:
                    if call.code() == grpc.StatusCode.RESOURCE_EXHAUSTED and "on their way" in call.details():
                        return True
                return False
            check.check("the queue is bounded", check.until(refused))
            for s in many:
                s.close()
            result = waiting.result().result
            check.check("those that do not go on lose their places", result.status == check.COMPLETED, result)
            slow.close()

            def leave_at_once():
                slow, began = half_sent(daemon.socket, 2), time.monotonic()
                waiting = one_that_waits()
                slow.close()
                return waiting and waiting.result().result.status == check.COMPLETED and time.monotonic() - began < 25
            check.check("and those that leave at once", check.until(leave_at_once))
            check.check("it ends well", daemon.end() == 0)
        finally:
            if daemon.process.poll() is None:
                daemon.process.kill()


def many_small_calls():
    """More calls than there are places, from several connections, each a correct one: none is refused."""
    with tempfile.TemporaryDirectory() as folder:
        daemon = check.Daemon(folder, "--set", "daemon.message_limit=1MiB", "--set", "daemon.arriving_limit=2MiB")
        try:
            ask_many(daemon)
        finally:
            daemon.process.kill()
            daemon.process.wait()


def ask_many(daemon):
    channels = [daemon.connect() for _ in range(4)]
    answers = collections.Counter()
    lock = threading.Lock()

    def ask(api, until_then):
        while time.monotonic() < until_then:
            try:
                api.AwaitProof(api.message("AwaitProofRequest", job_id="j0"), timeout=check.PATIENCE)
            except grpc.RpcError as e:
                with lock:
                    answers[e.code()] += 1
    ends = time.monotonic() + 3
    threads = [threading.Thread(target=ask, args=(api, ends)) for _, api in channels for _ in range(60)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check.check("many small calls at once are all answered", set(answers) == {grpc.StatusCode.NOT_FOUND}, answers)
    for channel, _ in channels:
        channel.close()


def clients_that_leave_are_not_counted(given):
    """More leave while they wait for a place than may wait at once; later ones wait all the same."""
    with tempfile.TemporaryDirectory() as folder:
        daemon = check.Daemon(folder, "--set", "daemon.message_limit=1MiB", "--set", "daemon.arriving_limit=2MiB")
        _, api = daemon.connect()
        try:
            slow = half_sent(daemon.socket, 2)
            time.sleep(0.3)
            for _ in range(13):
                left = half_sent(daemon.socket, 90)
                time.sleep(0.2)
                left.close()
            later = []

            def taken():
                """The daemon may not have seen yet that they left."""
                later.append(api.Prove.future(api.message("ProveRequest", submit=check.submission(
                    api, given, request_id=f"later-{len(later)}")), timeout=check.PATIENCE))
                time.sleep(0.5)
                return not later[-1].done() or later[-1].code() == grpc.StatusCode.OK
            fine = check.until(taken)
            slow.close()
            check.check("who left the queue makes room in it", fine and later[-1].result().result.status == check.COMPLETED)
            check.check("it ends well", daemon.end() == 0)
        finally:
            if daemon.process.poll() is None:
                daemon.process.kill()


def nobody_reads_the_log(given):
    """A log that nobody reads holds up neither proofs nor the end."""
    with tempfile.TemporaryDirectory() as folder:
        unread, end = os.pipe()
        daemon = check.Daemon(folder, log=end)
        os.close(end)
        _, api = daemon.connect()
        try:
            for i in range(600):
                try:
                    check.prove(api, given, request_id=f"refused-{i}", randomness=b"short")
                except grpc.RpcError as e:
                    if e.code() != grpc.StatusCode.INVALID_ARGUMENT:
                        check.check("refusals go on", False, e)
                        break
            check.check("a proof is made all the same", check.prove(api, given, request_id="unread").status == check.COMPLETED)
            check.check("and it ends", daemon.end() == 0)
            check.check("lines were written", len(os.read(unread, 1 << 20)) > 4096)
        finally:
            if daemon.process.poll() is None:
                daemon.process.kill()
            os.close(unread)


def main():
    given = check.inputs()[0]
    messages_wait_for_places(given)
    many_small_calls()
    clients_that_leave_are_not_counted(given)
    nobody_reads_the_log(given)
    print(f"1..{check.count}")
    return check.failures != 0


if __name__ == "__main__":
    sys.exit(main())
