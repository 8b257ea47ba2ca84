#!/usr/bin/env python3
"""The daemon as its clients, its operators and its supervisor see it. Speaks TAP.

check.py CUZK DAEMON VECTORS PARAMS [KIND...]: PARAMS is a folder with the 2KiB parameters of the kinds (setup
--insecure-seed 7); without any kind: window and winning.

SPDX-License-Identifier: Apache-2.0 OR MIT
"""
import base64
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

import grpc
from google.protobuf import json_format

import client
import trace_format

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CUZK, DAEMON, VECTORS, PARAMS = sys.argv[1:5]
KINDS = sys.argv[5:] or ["window", "winning"]
INPUT = pathlib.Path(VECTORS) / "input"
COMPLETED, FAILED, CANCELLED, TIMEOUT = 1, 2, 3, 4
PATIENCE = 300 # seconds till something is given up that is waited for: only what never comes takes so long
count = failures = 0


def check(name, fine, why=""):
    global count, failures
    count += 1
    failures += not fine
    print(f"{'ok' if fine else 'not ok'} {count} - {name}", flush=True)
    if not fine:
        print("".join(f"# {line}\n" for line in str(why).splitlines()), flush=True)


def skip(name, why):
    global count
    count += 1
    print(f"ok {count} - {name} # SKIP {why}", flush=True)


def fails(name, code, words, call):
    try:
        check(name, False, f"no error: {call()}")
    except grpc.RpcError as e:
        check(name, e.code() == code and words in e.details(), f"{e.code()}: {e.details()}")


def until(what, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.02)
    return False


class Daemon:
    """One running daemon with a folder of its own."""

    def __init__(self, folder, *settings, notify=None, log=None):
        self.folder = pathlib.Path(folder)
        self.socket = self.folder / "made" / "for" / "cuzk.sock"
        self.config = self.folder / "cuzk.toml"
        if not self.config.exists():
            self.write_config("")
        self.log = log if log is not None else open(self.folder / "log", "ab")
        environment = dict(os.environ, **({"NOTIFY_SOCKET": notify} if notify else {}))
        self.process = subprocess.Popen([DAEMON, "--config", str(self.config), *settings], stderr=self.log,
                                        env=environment)

    def write_config(self, more):
        self.port = self.port if hasattr(self, "port") else free_port()
        self.config.write_text(f'[daemon]\nlisten = "unix://{self.socket}"\nstatus_listen = "127.0.0.1:{self.port}"\n'
                               f'state_folder = "{self.folder}/state"\n[srs]\nparam_cache = "{PARAMS}"\n{more}')

    def connect(self):
        """Channels of its own, so that nothing is left of an earlier daemon."""
        channel = grpc.insecure_channel(f"unix://{self.socket}",
                                        client.MESSAGE_LIMIT + [("grpc.use_local_subchannel_pool", 1)])
        grpc.channel_ready_future(channel).result(timeout=PATIENCE)
        public = client.Service(channel, "protoc-c", HERE, "public.proto", "cuzk.v1.ProvingEngine")
        self.http_port()
        return channel, public

    def http_port(self):
        for line in self.config.read_text().splitlines():
            if line.startswith("status_listen"):
                self.port = int(line.split(":")[1].strip('"'))
        return self.port

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=PATIENCE) as answer:
            return answer.read(), answer.headers

    def status(self):
        return json.loads(self.get("status")[0])

    def logged(self):
        return (self.folder / "log").read_text(errors="replace")

    def end(self, number=signal.SIGTERM, timeout=PATIENCE):
        self.process.send_signal(number)
        return self.process.wait(timeout)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def submission(api, given, request_id=None, **changes):
    fields = dict(given.fields, request_id=request_id or given.curio_id(), priority=given.priority())
    fields.update(changes)
    return api.message("SubmitProofRequest", **fields)


def prove(api, given, timeout=PATIENCE, **changes):
    return api.Prove(api.message("ProveRequest", submit=submission(api, given, **changes)), timeout=timeout).result


def verified(given, proof, partition=None):
    """By the command, with the verifying key of the parameters."""
    with tempfile.NamedTemporaryFile() as f:
        f.write(proof)
        f.flush()
        command = [CUZK, "verify", str(given.path), "--vk", f"{PARAMS}/{given.kind}-2k.vk", "--proof", f.name]
        command += ["--partition", str(partition)] if partition is not None else []
        return subprocess.run(command, capture_output=True).returncode == 0


def inputs():
    found = []
    if "window" in KINDS:
        found += [client.Input(INPUT, "window-2KiB-1", k, 2) for k in (0, 1)]
        found += [client.Input(INPUT, "window-v1-2KiB-1", k, 2) for k in (0, 1)]
    for kind, names in (("winning", ["winning-2KiB-1"]), ("snap", ["snap-2KiB-1"]),
                        ("porep", ["porep-2KiB-1", "porep-syn-2KiB-1"])):
        if kind in KINDS:
            found += [client.Input(INPUT, name) for name in names]
    return found


# ---- proofs ----

def proofs_of_all_kinds(api):
    for given in inputs():
        name = given.path.name.split(".")[0] + (f" partition {given.partition}" if given.kind == "window" else "")
        result = prove(api, given, request_id=f"{given.curio_id()}" + ("-v1" if "v1" in name else ""))
        fine = result.status == COMPLETED and len(result.proof) == 192
        check(f"{name} is proved with Curio's id, without a sector size", fine, result)
        partition = given.partition if given.kind == "window" else None
        check(f"{name}: the proof verifies", fine and verified(given, result.proof, partition))
        again = prove(api, given, request_id=f"{given.curio_id()}" + ("-v1" if "v1" in name else ""))
        check(f"{name}: asked again, the same answer", again.job_id == result.job_id and again.proof == result.proof)


def build_in_go(folder):
    """The client of go/, of code made from public.proto; None: no Go, no protoc, or no modules to be had."""
    go, protoc = shutil.which("go"), shutil.which("protoc")
    if not go or not protoc:
        return None
    shutil.copytree(HERE / "go", folder, dirs_exist_ok=True)
    (folder / "cuzkv1").mkdir()
    environment = dict(os.environ, GOFLAGS="-mod=mod -buildvcs=false", PATH=f"{folder}/bin:{os.environ['PATH']}")
    kinds = [word for plugin in ("go", "go-grpc") for word in
             (f"--{plugin}_out=cuzkv1", f"--{plugin}_opt=paths=source_relative", f"--{plugin}_opt=Mpublic.proto=cuzkclient/cuzkv1")]
    for command in ([go, "build", "-o", "bin/", "google.golang.org/protobuf/cmd/protoc-gen-go",
                     "google.golang.org/grpc/cmd/protoc-gen-go-grpc"],
                    [protoc, "-I", str(HERE), *kinds, "public.proto"], [go, "build", "-o", "client", "."]):
        built = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
        if built.returncode != 0:
            print("".join(f"# {line}\n" for line in built.stderr.splitlines()[-5:]), end="")
            return None
    return folder / "client"


def a_client_in_go(daemon, api):
    with tempfile.TemporaryDirectory() as folder:
        program = build_in_go(pathlib.Path(folder) / "go")
        if not program:
            skip("a client in Go", "no go, no protoc, or no modules")
            return
        given = [g for g in inputs() if "v1" not in g.path.name]
        asked = "".join(json_format.MessageToJson(api.message("ProveRequest", submit=submission(
            api, g, request_id=f"go {g.curio_id()}")), indent=None) + "\n" for g in given)
        result = subprocess.run([str(program), str(daemon.socket)], input=asked, capture_output=True, text=True, timeout=900)
        answers = [json.loads(line) for line in result.stdout.splitlines()]
        fine = result.returncode == 0 and len(answers) == len(given) + 1
        check("a client in Go is answered", fine, result.stderr)
        for g, answer in zip(given, answers if fine else []):
            proof = base64.b64decode(answer["result"].get("proof", ""))
            check(f"with a proof of {g.kind}", answer["result"]["status"] == COMPLETED and
                  verified(g, proof, g.partition if g.kind == "window" else None), answer)
        check("and reads the status", fine and {q["proofKind"] for q in answers[-1]["queues"]} ==
              {"porep-c2", "snap-update", "window-post", "winning-post"}, answers[-1:])


def identity_is_id_and_payload(api, given, other):
    first = prove(api, given, request_id="same")
    second = prove(api, other, request_id="same")
    check("the same id with another payload is another job", first.job_id != second.job_id)
    check("and both proofs verify", verified(given, first.proof, given.partition) and
          verified(other, second.proof, other.partition))


def a_porep_with_another_seed(api):
    """The same sector and id, another seed: in the test a C1 of another sector under the same id."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([CUZK, "gen", "porep", "2KiB", "--seed", "5", "--out", folder], check=True, capture_output=True)
        one, two = client.Input(INPUT, "porep-2KiB-1"), client.Input(folder, "porep-2KiB-5")
        a, b = prove(api, one, request_id="porep-1-1"), prove(api, two, request_id="porep-1-1")
        check("a PoRep's id with another seed is another job", a.job_id != b.job_id and
              verified(one, a.proof) and verified(two, b.proof), (a, b))
        padded = bytes(one.fields["vanilla_proof"]) + b" " * (200 << 20)
        big = prove(api, one, request_id="large", vanilla_proof=padded)
        check("a message of 200 MiB is proved", big.status == COMPLETED and verified(one, big.proof), big)


# ---- errors ----

def errors_say_what_is_wrong(api, given):
    bad = grpc.StatusCode.INVALID_ARGUMENT
    fails("no submit", bad, "submit", lambda: api.Prove(api.message("ProveRequest"), timeout=PATIENCE))
    for name, words, changes in (("no kind", "kind", {"proof_kind": 0}), ("no such number", "registered", {"registered_proof": 77}),
                                 ("another size", "sector_size", {"sector_size": 4096}),
                                 ("a short randomness", "randomness", {"randomness": b"1"}),
                                 ("no records", "vanilla", {"vanilla_proofs": []}),
                                 ("a C1 for a PoSt", "vanilla_proof", {"vanilla_proof": b"{}", "vanilla_proofs": []})):
        fails(f"{name}: refused by name", bad, words, lambda c=changes: prove(api, given, **c))
    broken = [b"\xff" * len(r) for r in given.fields["vanilla_proofs"]]
    result = prove(api, given, request_id="broken", vanilla_proofs=broken)
    check("a malformed record fails with its name", result.status == FAILED and "vanilla_proofs[0]" in result.error_message,
          result)
    fails("a message that is none", bad, "malformed", lambda: api.channel.unary_unary(
        "/cuzk.v1.ProvingEngine/Prove")(b"\xff\xff\xff", timeout=PATIENCE))
    fails("an unknown method", grpc.StatusCode.UNIMPLEMENTED, "no such method", lambda: api.channel.unary_unary(
        "/cuzk.v1.ProvingEngine/Improve")(b"", timeout=PATIENCE))
    fails("an unknown job", grpc.StatusCode.NOT_FOUND, "no job", lambda: api.AwaitProof(
        api.message("AwaitProofRequest", job_id="j0"), timeout=PATIENCE))
    fails("a message above the limit", grpc.StatusCode.RESOURCE_EXHAUSTED, "larger than max", lambda: prove(
        api, given, vanilla_proof=bytes(257 << 20), vanilla_proofs=[], proof_kind=1))
    check("cancelling an unknown job", not api.CancelProof(api.message("CancelProofRequest", job_id="j0")).was_running)


# ---- faults ----

def parameters_are_replaced(given, winning):
    """Another circuit's file under a circuit's name while the daemon runs: said, and the rest goes on."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "params"
        shutil.copytree(PARAMS, copy)
        daemon = Daemon(folder, "--set", f"srs.param_cache={copy}", "--set", "srs.keep_loaded=window-2k")
        _, api = daemon.connect()
        try:
            check("it is ready", until(lambda: "daemon: ready" in daemon.logged()))
            check("when what is kept loaded is there", "window-2k: loaded" in daemon.logged().split("daemon: ready")[0])

            def replace(source, name):
                shutil.copy(f"{PARAMS}/{source}", copy / "new")
                os.rename(copy / "new", copy / name)
            check("proved before its parameters are replaced", prove(api, winning, request_id="1").status == COMPLETED)
            replace("window-2k.srs", "winning-2k.srs")
            result = prove(api, winning, request_id="2")
            check("another circuit's parameters are refused by name", result.status == FAILED and
                  "is of the circuit window-2k, not of winning-2k" in result.error_message, result)
            check("other circuits go on", prove(api, given, request_id="3").status == COMPLETED)
            (copy / "new").write_bytes(b"no parameters")
            os.rename(copy / "new", copy / "winning-2k.srs")
            result = prove(api, winning, request_id="4")
            check("what is no such file is refused", result.status == FAILED and "winning-2k.srs" in result.error_message, result)
            replace("winning-2k.srs", "winning-2k.srs")
            result = prove(api, winning, request_id="5")
            check("with the right ones it is proved again", result.status == COMPLETED and verified(winning, result.proof), result)
        finally:
            daemon.process.kill()
            daemon.process.wait()


def a_full_disk(given):
    """The state folder's file system without room: new jobs are refused with the reason, those in hand end."""
    with tempfile.TemporaryDirectory() as folder:
        state = pathlib.Path(folder) / "state"
        state.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4M", "none", str(state)], capture_output=True).returncode:
            skip("a full disk", "no right to mount a small one")
            return
        daemon = Daemon(folder)
        try:
            _, api = daemon.connect()
            check("proved while there is room", prove(api, given, request_id="1").status == COMPLETED)
            tickets = [api.SubmitProof(submission(api, given, request_id=f"in hand {i}")) for i in range(3)]
            with open(state / "filler", "wb", buffering=0) as filler:
                try:
                    while filler.write(bytes(4096)):
                        pass
                except OSError:
                    pass
            refused = None
            for i in range(200): # the journal may have some room left in its files
                try:
                    tickets.append(api.SubmitProof(submission(api, given, request_id=f"more {i}")))
                except grpc.RpcError as e:
                    refused = e
                    break
            check("a full disk refuses new jobs and says why", refused and "full" in refused.details().lower(), refused)
            results = [api.AwaitProof(api.message("AwaitProofRequest", job_id=t.job_id), timeout=PATIENCE) for t in tickets]
            check("those that were accepted end with proofs", all(r.status == COMPLETED for r in results), results)
            check("the daemon serves on", daemon.status()["counters"]["total_completed"] >= len(tickets))
            (state / "filler").unlink()
            check("and takes jobs again when there is room", prove(api, given, request_id="after").status == COMPLETED)
            check("it ends well", daemon.end() == 0)
        finally:
            daemon.process.kill()
            daemon.process.wait()
            subprocess.run(["umount", str(state)], capture_output=True)


# ---- jobs that do not end by themselves ----

class Busy:
    """Jobs are ahead of those that follow, however long it takes: distinct ids, so none joins another."""

    def __init__(self, daemon, api, given):
        self.daemon, self.api, self.given = daemon, api, given
        self.tickets, self.stop = [], threading.Event()
        self.thread = threading.Thread(target=self.keep_on)

    def more(self, n):
        for i in range(n):
            self.tickets.append(self.api.SubmitProof(submission(
                self.api, self.given, request_id=f"busy-{time.monotonic_ns()}-{i}", priority=4)))

    def keep_on(self):
        while not self.stop.wait(0.05):
            if self.daemon.status()["counters"]["queue_depth"] < 30:
                self.more(10)

    def __enter__(self):
        self.more(40)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()
        finish(self.api, self.tickets)


def finish(api, tickets):
    for ticket in tickets:
        api.CancelProof(api.message("CancelProofRequest", job_id=ticket.job_id))


def state_of(daemon, request_id):
    return next((job["state"] for job in daemon.status()["jobs"] if job["request_id"] == request_id), None)


def cancel_disconnect_deadline(daemon, api, given, late):
    low = {"priority": 1}
    with Busy(daemon, api, given):
        ticket = api.SubmitProof(submission(api, late, request_id="to cancel", **low))
        result = api.AwaitProof(api.message("AwaitProofRequest", job_id=ticket.job_id, timeout_ms=50), timeout=PATIENCE)
        check("a wait with a timeout ends", result.status == TIMEOUT, result)
        waiting = api.AwaitProof.future(api.message("AwaitProofRequest", job_id=ticket.job_id), timeout=PATIENCE)
        answer = api.CancelProof(api.message("CancelProofRequest", job_id=ticket.job_id))
        check("a waiting job is cancelled", answer.was_running)
        check("and who waits is told", waiting.result().status == CANCELLED)
        gone = api.Prove.future(api.message("ProveRequest", submit=submission(api, late, request_id="to leave", **low)))
        check("a job waits", until(lambda: state_of(daemon, "to leave") is not None))
        gone.cancel()
        check("its client leaves: it is cancelled", until(lambda: state_of(daemon, "to leave") == "cancelled"),
              state_of(daemon, "to leave"))
        fails("a deadline passes", grpc.StatusCode.DEADLINE_EXCEEDED, "", lambda: prove(
            api, late, timeout=0.1, request_id="too late", **low))
        check("the job of a deadline that passed is cancelled",
              until(lambda: state_of(daemon, "too late") in ("cancelled", None)), state_of(daemon, "too late"))
        joined = daemon.status()["counters"]["joined"]
        two = [api.Prove.future(api.message("ProveRequest", submit=submission(api, late, request_id="shared", **low)))
               for _ in range(2)]
        check("two wait for one job", until(lambda: daemon.status()["counters"]["joined"] == joined + 1))
        job = next(j["job_id"] for j in daemon.status()["jobs"] if j["request_id"] == "shared")
        two[0].cancel()
        check("one leaves", until(lambda: any("the client has left" in line and job in line for line in daemon.logged().splitlines())))
        check("the job goes on", state_of(daemon, "shared") in ("queued", "running", "completed"), state_of(daemon, "shared"))
    check("the other gets the proof", two[1].result(timeout=PATIENCE).result.status == COMPLETED)


# ---- our own calls ----

def calls_of_ours(daemon, channel, api, given):
    own = client.Service(channel, "protoc-c", ROOT / "proto", "cuzk/v1/proving.proto", "cuzk.v1.ProvingEngine")
    ticket = own.SubmitProof(submission(own, given, request_id="watched"))
    seen = list(own.WatchProof(own.message("WatchProofRequest", job_id=ticket.job_id), timeout=PATIENCE))
    check("a job is watched to its end", seen and seen[-1].state == "completed" and
          seen[-1].partitions_done == seen[-1].partitions_total == 1, seen[-1:])
    fails("an unknown job cannot be watched", grpc.StatusCode.NOT_FOUND, "no job",
          lambda: list(own.WatchProof(own.message("WatchProofRequest", job_id="j0"), timeout=PATIENCE)))
    records = given.fields["vanilla_proofs"]

    def chunks(data, sizes):
        head = submission(own, given, request_id="streamed", vanilla_proofs=[])
        yield own.message("SubmitProofChunk", submit=head, piece_sizes=sizes)
        for at in range(0, len(data), 1000):
            yield own.message("SubmitProofChunk", data=data[at:at + 1000])
    whole, sizes = b"".join(records), [len(r) for r in records]
    ticket = own.SubmitProofStream(chunks(whole, sizes), timeout=PATIENCE)
    result = own.AwaitProof(own.message("AwaitProofRequest", job_id=ticket.job_id), timeout=PATIENCE)
    check("a streamed payload is proved", result.status == COMPLETED and verified(given, result.proof, given.partition), result)
    bad = grpc.StatusCode.INVALID_ARGUMENT
    fails("a stream with too little", bad, "less than", lambda: own.SubmitProofStream(chunks(whole[1:], sizes), timeout=PATIENCE))
    fails("a stream with too much", bad, "more than", lambda: own.SubmitProofStream(chunks(whole + b"1", sizes), timeout=PATIENCE))
    fails("a stream of nothing", bad, "no message", lambda: own.SubmitProofStream(iter([]), timeout=PATIENCE))
    check("nothing of refused streams is left",
          until(lambda: not list((daemon.folder / "state").rglob("incoming-*"))))


def standard_services(channel):
    health = client.Service(channel, "protoc-c", ROOT / "proto", "grpc/health/v1/health.proto", "grpc.health.v1.Health")
    check("health: serving", health.Check(health.message("HealthCheckRequest")).status == 1)
    fails("health of an unknown service", grpc.StatusCode.NOT_FOUND, "",
          lambda: health.Check(health.message("HealthCheckRequest", service="x")))
    watch = health.Watch(health.message("HealthCheckRequest"), timeout=PATIENCE)
    check("health is watched", next(watch).status == 1)
    watch.cancel()
    for version in ("v1", "v1alpha"):
        name = f"grpc.reflection.{version}.ServerReflection"
        reflection = client.Service(channel, "protoc-c", ROOT / "proto", f"grpc/reflection/{version}/reflection.proto", name)
        questions = [reflection.message("ServerReflectionRequest", list_services=""),
                     reflection.message("ServerReflectionRequest", file_containing_symbol="cuzk.v1.ProvingEngine.Prove"),
                     reflection.message("ServerReflectionRequest", file_by_filename="none.proto")]
        answers = list(reflection.ServerReflectionInfo(iter(questions), timeout=PATIENCE))
        listed = [s.name for s in answers[0].list_services_response.service]
        check(f"reflection {version} lists, describes, refuses", "cuzk.v1.ProvingEngine" in listed and name in listed and
              b"SubmitProofRequest" in answers[1].file_descriptor_response.file_descriptor_proto[0] and
              answers[2].error_response.error_code == 5, answers)


def parameters(api):
    name = "wpost-2k" if "window" in KINDS else f"{KINDS[0]}-2k"
    api.EvictSRS(api.message("EvictSrsRequest", circuit_id=name), timeout=PATIENCE)
    check("parameters are loaded", not api.PreloadSRS(api.message("PreloadSrsRequest", circuit_id=name), timeout=PATIENCE).already_loaded)
    check("once", api.PreloadSRS(api.message("PreloadSrsRequest", circuit_id=name), timeout=PATIENCE).already_loaded)
    loaded = api.GetStatus(api.message("GetStatusRequest"), timeout=PATIENCE).loaded_srs
    check("and listed", any(s.tier < 2 and s.size_bytes > 0 for s in loaded), loaded)
    check("and evicted", api.EvictSRS(api.message("EvictSrsRequest", circuit_id=name), timeout=PATIENCE).was_loaded)
    fails("an unknown circuit", grpc.StatusCode.INVALID_ARGUMENT, "", lambda: api.PreloadSRS(
        api.message("PreloadSrsRequest", circuit_id="porep-33g"), timeout=PATIENCE))
    fails("parameters that are not there", grpc.StatusCode.NOT_FOUND, "put one of them there", lambda: api.PreloadSRS(
        api.message("PreloadSrsRequest", circuit_id="snap-64g"), timeout=PATIENCE))
    check("nothing evicted where nothing was loaded",
          not api.EvictSRS(api.message("EvictSrsRequest", circuit_id="snap-64g"), timeout=PATIENCE).was_loaded)


KNOWN = ["gpu_tid", "num_circuits", "prep_msm_ms", "split_vectors_ms", "setup_to_split_ms", "ntt_msm_h_ms", "batch_add_ms",
         "b_g2_msm_ms", "tail_msm_ms", "gpu_total_ms"]


def lines_of_timing(daemon, job):
    """What scripts of the earlier system look for, of one job."""
    lines = [line for line in daemon.logged().splitlines() if "CUZK_TIMING: " in line and f"job={job}" in line]
    values = [dict(word.split("=") for word in line.split("CUZK_TIMING: ")[1].split()) for line in lines]
    proved = [v for v in values if "gpu_total_ms" in v]
    whole = [v for v in values if "pre_destructor_ms" in v]
    freed = [v for v in values if "destructor_ms" in v]
    check("timing lines have all known names", len(proved) == len(whole) == len(freed) == 1 and set(KNOWN) <= set(proved[0]) and
          "epilogue_ms" in whole[0] and all(float(v[n]) >= 0 for v in proved for n in v if n.endswith("_ms")), lines)


def times_and_devices(daemon, api, given, late):
    """Two jobs at once on the one device: which it is, and how long the second waits for it. A busy machine delays what
    no part of a job's time is, or the second job: not each time."""
    told = []

    def two():
        tickets = [api.SubmitProof(submission(api, g, request_id=f"timed-{len(told)}-{i}")) for i, g in enumerate((given, late))]
        results = [api.AwaitProof(api.message("AwaitProofRequest", job_id=t.job_id), timeout=PATIENCE) for t in tickets]
        told.append((tickets, results))
        return tickets, results

    def add_up(results):
        named = [r.queue_wait_ms + r.srs_load_ms + r.synthesis_ms + r.gpu_compute_ms for r in results]
        return all(r.status == COMPLETED and 0.7 * r.total_ms - 20 <= n <= r.total_ms + 5 for n, r in zip(named, results))
    tickets, _ = two()
    check("the one device that there is is told", all(t.assigned_gpu == "CPU" for t in tickets), tickets)
    check("the parts of a job's time add up to it", until(lambda: add_up(two()[1]), 60), told[-1])
    until(lambda: f"job={tickets[1].job_id} destructor_ms" in daemon.logged())
    lines_of_timing(daemon, tickets[1].job_id)

    def second_waited(results):
        return results[1].queue_wait_ms >= 0.5 * results[0].gpu_compute_ms
    check("the second waited for the first", until(lambda: second_waited(two()[1]), 60), told[-1])


# ---- the operator ----

STATUS = {"uptime_secs": 0, "memory": ["total_bytes", "used_bytes", "available_bytes"], "synthesis": ["max_concurrent", "active"],
          "pipelines": 0, "gpu_workers": 0, "allocations": ["srs", "pce"],
          "counters": ["total_completed", "total_failed", "completed_by_kind", "failed_by_kind", "queue_depth"],
          "buffers": ["synth_in_flight", "provers_in_flight", "aux_in_flight", "shells_in_flight", "pending_handles"]}


def http(daemon, api):
    status = daemon.status()
    missing = [k for k, inner in STATUS.items() if k not in status or (inner and set(inner) - set(status[k]))]
    check("/status has all members", not missing, missing)
    text = daemon.get("metrics")[0].decode()
    names = ["proofs_completed_total", "proofs_failed_total", "uptime_seconds", "queue_depth", "running_jobs", "gpu_workers",
             'proofs_completed{proof_kind="window_post"}', 'proof_duration_seconds_count{proof_kind="winning_post"}',
             'proof_duration_seconds_bucket{proof_kind="porep_c2",le="+Inf"}']
    check("/metrics has all names", all(f"\ncuzk_{n} " in text for n in names), text[:500])
    board = re.findall(r"cuzk_[a-z_]+", (ROOT / "docs/grafana.json").read_text())
    absent = [n for n in set(board) if not re.search(rf"^{n}[ {{]", text, re.M)]
    check("every figure of the Grafana board is there", board and not absent, absent)
    figures = set(re.findall(r"^# TYPE (cuzk_\w+)", text, re.M))
    shown = {re.sub(r"_(bucket|sum|count)$", "", n) if n not in figures else n for n in board}
    missing = figures - shown
    check("and every figure is on it", not missing, missing)
    check("GetMetrics says the same", "cuzk_proofs_completed_total " in
          api.GetMetrics(api.message("GetMetricsRequest"), timeout=PATIENCE).prometheus_text)
    check("/healthz, /readyz", daemon.get("healthz")[0] == b"ok\n" and daemon.get("readyz")[0] == b"ready\n")
    page, headers = daemon.get("")
    check("the page asks for nothing outside", b"http" not in page and "default-src 'none'" in headers["Content-Security-Policy"])
    check("its files are served", all(len(daemon.get(f)[0]) > 1000 for f in ("page.js", "page.css", "timeline.js")))
    timeline = json.loads(daemon.get("timeline")[0])
    check("/timeline has bars in its rows", timeline["bars"] and all(b["row"] < len(timeline["rows"]) for b in timeline["bars"]))
    job = next(j for j in status["jobs"] if j["state"] == "completed")
    trace = json.loads(daemon.get(f"trace?job={job['job_id']}")[0])
    check("/trace of a job is what viewers take", len(trace["traceEvents"]) > 3 and not trace_format.faults_of(trace),
          trace_format.faults_of(trace))
    whole = json.loads(daemon.get("trace")[0])
    check("and so is that of all that was done", len(whole["traceEvents"]) > len(timeline["rows"]) and
          not trace_format.faults_of(whole), trace_format.faults_of(whole))
    first, last = (f(e["ts"] * 1000 for e in whole["traceEvents"] if e["ph"] == "X") for f in (min, max))
    middle = int((first + last) / 2)
    halves = [[e for e in json.loads(daemon.get(f"trace?{q}")[0])["traceEvents"] if e["ph"] == "X"]
              for q in (f"to={middle}", f"from={middle}")]
    check("and that of a window of time is a part of it", all(0 < len(h) < len(whole["traceEvents"]) for h in halves) and
          all(e["ts"] * 1000 < middle for e in halves[0]) and all((e["ts"] + e["dur"]) * 1000 >= middle - 1000 for e in halves[1]),
          [len(h) for h in halves])
    check("one that is none is told", trace_format.faults_of({"traceEvents": [{"ph": "X"}]}))
    for path, code in (("none", 404), ("trace?job=j0", 404)):
        try:
            daemon.get(path)
            check(f"/{path} is refused", False)
        except urllib.error.HTTPError as e:
            check(f"/{path} is refused", e.code == code, e.code)
    queues = api.GetStatus(api.message("GetStatusRequest"), timeout=PATIENCE).queues
    check("every kind is in the status, also with an empty queue",
          sorted(q.proof_kind for q in queues) == ["porep-c2", "snap-update", "window-post", "winning-post"])


def page_in_browser(daemon, api, given):
    """Chromium without a window: the page as it stands after some seconds, wide and narrow, light and dark."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        skip("the page in a browser", "no chromium")
        return
    prove(api, given, request_id=f"{given.curio_id()} for the page") # among the last ones, which it shows
    for name, flags in (("wide", ["--window-size=1280,1000"]), ("narrow and dark", ["--window-size=390,844", "--force-dark-mode"])):
        result = subprocess.run([browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000",
                                 "--enable-logging=stderr", "--dump-dom", *flags, f"http://127.0.0.1:{daemon.port}/"],
                                capture_output=True, text=True, timeout=PATIENCE)
        dom, console = result.stdout, [line for line in result.stderr.splitlines() if "CONSOLE" in line]
        check(f"the page is filled in, {name}", ">ready<" in dom and "wdpost-" in dom and ">completed<" in dom and
              "window-post" in dom and "CPU" in dom and "no answer" not in dom, dom[-3000:])
        check(f"and complains of nothing, {name}", not console, console)


def reloads(daemon):
    daemon.write_config('[queue]\nmax_jobs = 7\n[logging]\nformat = "json"\n')
    daemon.process.send_signal(signal.SIGHUP)
    check("settings are reloaded", until(lambda: '"message":"reloaded"' in daemon.logged()), daemon.logged()[-500:])
    lines = [line for line in daemon.logged().splitlines() if line.startswith("{")]
    check("the log is JSON now", lines and all(json.loads(line)["level"] for line in lines))
    daemon.write_config('[queue]\nmax_jbos = 7\n')
    daemon.process.send_signal(signal.SIGHUP)
    check("wrong settings are not", until(lambda: "nearest known one: queue.max_jobs" in daemon.logged()))
    daemon.write_config("")
    daemon.process.send_signal(signal.SIGHUP)


def restart(daemon, api, given, known):
    second = subprocess.run([DAEMON, "--config", str(daemon.config)], capture_output=True, text=True, timeout=PATIENCE)
    check("a second daemon on the same folder or socket refuses", second.returncode == 1, second.stderr)
    tickets = [api.SubmitProof(submission(api, given, request_id=f"survivor-{i}")) for i in range(6)]
    daemon.process.kill()
    daemon.process.wait()
    check("the socket of a killed daemon stays", daemon.socket.exists())
    daemon = Daemon(daemon.folder)
    channel, api = daemon.connect()
    results = [api.AwaitProof(api.message("AwaitProofRequest", job_id=t.job_id), timeout=PATIENCE) for t in tickets]
    check("what was accepted before kill -9 is proved after", all(r.status == COMPLETED for r in results), results)
    check("results from before are kept", prove(api, given, request_id="watched").job_id == known)
    return daemon, channel, api


def stops_at_once(daemon, api, given):
    tickets = [api.SubmitProof(submission(api, given, request_id=f"left-{i}")) for i in range(60)]
    waiting = api.Prove.future(api.message("ProveRequest", submit=submission(api, given, request_id="left behind", priority=1)))
    until(lambda: state_of(daemon, "left behind") is not None)
    daemon.process.send_signal(signal.SIGTERM)
    until(lambda: "no new jobs" in daemon.logged())
    check("a second SIGTERM stops", daemon.end() == 0)
    fails("at once, and who waited is told", grpc.StatusCode.UNAVAILABLE, "stopping", waiting.result)
    daemon = Daemon(daemon.folder)
    channel, api = daemon.connect()
    finish(api, tickets[8:])
    results = [api.AwaitProof(api.message("AwaitProofRequest", job_id=t.job_id), timeout=PATIENCE) for t in tickets[:8]]
    check("the next start goes on", all(r.status == COMPLETED for r in results), results)
    return daemon, channel, api


def drains(daemon, api, given):
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        calls = [pool.submit(prove, api, given, request_id=f"last-{i}") for i in range(12)]
        check("jobs are in hand", until(lambda: state_of(daemon, "last-0") is not None))
        said = daemon.logged().count("no new jobs")
        daemon.process.send_signal(signal.SIGTERM)
        check("draining is said", until(lambda: daemon.logged().count("no new jobs") > said))
        answers = []
        for call in calls:
            try:
                answers.append(call.result().status)
            except grpc.RpcError as e: # came after the signal
                answers.append(e.code())
        check("SIGTERM under load: each is answered", all(a in (COMPLETED, grpc.StatusCode.UNAVAILABLE) for a in answers) and
              COMPLETED in answers, answers)
        check("and the daemon ends well", daemon.process.wait(PATIENCE) == 0)
        check("the socket is gone", not daemon.socket.exists())


def notifies(folder):
    path = os.path.join(folder, "notify")
    states = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.bind(path)
        s.settimeout(PATIENCE)

        def listen():
            try:
                while b"STOPPING=1" not in states:
                    states.append(s.recv(4096))
            except OSError:
                pass
        listener = threading.Thread(target=listen)
        listener.start()
        daemon = Daemon(folder, notify=path)
        daemon.connect()
        until(lambda: b"READY=1" in states)
        code = daemon.end()
        listener.join()
    check("systemd is told", states[:1] == [b"READY=1"] and states[-1] == b"STOPPING=1" and code == 0, states)


def command_line(folder):
    def run(*arguments):
        return subprocess.run([DAEMON, *arguments], capture_output=True, text=True, timeout=PATIENCE)
    check("--help", run("--help").returncode == 0 and "daemon.listen" in run("--help").stdout)
    misuse = run("--lisen", "x")
    check("misuse", misuse.returncode == 2 and "--lisen" in misuse.stderr and not misuse.stdout)
    wrong = run("--set", "queue.max_jbos=1")
    check("an unknown setting", wrong.returncode == 2 and "queue.max_jobs" in wrong.stderr, wrong.stderr)
    example = pathlib.Path(folder) / "example.toml"
    example.write_text(run("--example").stdout)
    checked = run("--config", str(example), "--set", f"srs.param_cache={folder}", "--check-config")
    check("the example is a configuration", checked.returncode == 0 and "message_limit = \"256MiB\"" in checked.stdout, checked.stderr)
    notes = subprocess.run(["readelf", "-n", DAEMON], capture_output=True, text=True).stdout if shutil.which("readelf") else ""
    if "stapsdt" in notes:
        check("tracepoints", all(f"Name: {n}\n" in notes for n in ("job_accepted", "partition_phase", "job_ended")), notes[:500])
    else:
        skip("tracepoints", "no readelf, or built without sys/sdt.h")
    check("--man", run("--man").stdout.startswith(".TH CUZK-DAEMON"))


def main():
    given, other = inputs()[0], inputs()[1]
    with tempfile.TemporaryDirectory() as folder:
        command_line(folder)
        daemon = Daemon(folder)
        try:
            channel, api = daemon.connect()
            proofs_of_all_kinds(api)
            a_client_in_go(daemon, api)
            if "window" in KINDS:
                identity_is_id_and_payload(api, given, other)
            if "porep" in KINDS:
                a_porep_with_another_seed(api)
            errors_say_what_is_wrong(api, given)
            calls_of_ours(daemon, channel, api, given)
            standard_services(channel)
            times_and_devices(daemon, api, given, other)
            cancel_disconnect_deadline(daemon, api, given, other)
            parameters(api)
            http(daemon, api)
            page_in_browser(daemon, api, given)
            reloads(daemon)
            known = prove(api, given, request_id="watched").job_id
            daemon, channel, api = restart(daemon, api, given, known)
            daemon, channel, api = stops_at_once(daemon, api, given)
            drains(daemon, api, given)
            notifies(folder)
            if "window" in KINDS and "winning" in KINDS:
                parameters_are_replaced(given, next(i for i in inputs() if i.kind == "winning"))
            a_full_disk(given)
        finally:
            if daemon.process.poll() is None:
                daemon.process.kill()
            if failures:
                print("".join(f"# {line}\n" for line in daemon.logged().splitlines()[-40:]))
    print(f"1..{count}")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
