"""client.py - a gRPC client made from proto files at run time, and inputs as a storage provider's software sends
them.

SPDX-License-Identifier: Apache-2.0 OR MIT
"""
import base64
import json
import pathlib
import subprocess
import tempfile

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

MESSAGE_LIMIT = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]


def message_class(descriptor):
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory().GetPrototype(descriptor)


class Service:
    """The calls of one service of a proto file: service.Name(message, timeout=...) and service.future(...)."""

    def __init__(self, channel, protoc, folder, proto, service):
        with tempfile.NamedTemporaryFile() as out:
            subprocess.run([protoc, "-I", str(folder), "--include_imports", f"--descriptor_set_out={out.name}", proto],
                           check=True, cwd=folder)
            files = descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(out.name).read_bytes())
        pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            pool.Add(file) if hasattr(pool, "Add") else pool.AddSerializedFile(file.SerializeToString())
        self.service = pool.FindServiceByName(service)
        self.channel = channel
        self.stubs = {}
        for method in self.service.methods:
            ask = message_class(method.input_type)
            answer = message_class(method.output_type)
            kind = ("stream" if method.client_streaming else "unary") + "_" + \
                   ("stream" if method.server_streaming else "unary")
            self.stubs[method.name] = getattr(channel, kind)(
                f"/{service}/{method.name}", request_serializer=ask.SerializeToString,
                response_deserializer=answer.FromString)
            setattr(self, method.name, self.stubs[method.name])
        self.pool = pool

    def message(self, name, **fields):
        return message_class(
            self.pool.FindMessageTypeByName(f"{self.service.file.package}.{name}"))(**fields)


KINDS = {"porep": 1, "snap": 2, "window": 3, "winning": 4}


class Input:
    """A request file of the test vectors, as the fields of a SubmitProofRequest."""

    def __init__(self, folder, name, partition=0, places=None):
        self.path = pathlib.Path(folder) / f"{name}.meta.json"
        self.meta = json.loads(self.path.read_text())
        self.partition = partition
        self.kind = self.meta["kind"].split("-")[0]
        fields = {"proof_kind": KINDS[self.kind], "registered_proof": self.meta["registered_proof"],
                  "miner_id": self.meta["miner"]}
        if self.kind in ("porep", "snap"):
            fields["sector_number"] = self.meta["sector"]
        if self.kind == "porep":
            inner = (self.path.parent / f"{name}.c1.json").read_bytes()
            outer = json.loads(inner)
            if "Phase1Out" not in outer:
                inner = json.dumps({"SectorNum": self.meta["sector"], "Phase1Out": base64.b64encode(inner).decode(),
                                    "SectorSize": 2048}).encode()
            fields["vanilla_proof"] = inner
        else:
            records = [(self.path.parent / file).read_bytes() for file in self.meta["vanilla"]]
            if places:
                records = records[partition * places:(partition + 1) * places]
            fields["vanilla_proofs"] = records
        if self.kind in ("window", "winning"):
            fields["randomness"] = bytes.fromhex(self.meta["randomness"])
            fields["partition_index"] = partition
        if self.kind == "snap":
            for key in ("comm_r_old", "comm_r_new", "comm_d_new"):
                fields[key] = bytes.fromhex(self.meta[key])
        self.fields = fields

    def curio_id(self):
        """The id that Curio gives such a request."""
        miner, head = self.meta["miner"], self.fields.get("randomness", b"")[:8]
        if self.kind == "window":
            return f"wdpost-{miner}-{self.partition}-[{' '.join(str(b) for b in head)}]"
        if self.kind == "winning":
            return f"winpost-{miner}-{head.hex()}"
        return f"{self.kind}-{miner}-{self.meta['sector']}"

    def priority(self):
        return {"window": 3, "winning": 4}.get(self.kind, 2)
