#!/usr/bin/env python3
"""Make the C code of the messages, and the files' descriptors as a C table for the reflection service.

make.py PROTOC_C SOURCE OUT writes into OUT NAME.pb-c.c and .h of each file that the daemon speaks, and
descriptors.c: struct proto_descriptor proto_descriptors[] (daemon/descriptors.h).

SPDX-License-Identifier: Apache-2.0 OR MIT
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

CODE = ["cuzk/v1/proving.proto", "grpc/health/v1/health.proto", "grpc/reflection/v1/reflection.proto"]
DESCRIBED = CODE + ["grpc/reflection/v1alpha/reflection.proto"]


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def members(data):
    """The length-delimited fields of a message, (number, bytes)."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            _, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            yield tag >> 3, data[at:at + size]
            at += size
        else:
            sys.exit(f"descriptor with wire type {tag & 7}")


def symbols(package, file):
    """Full names of what a FileDescriptorProto declares: messages and enums with what is in them, services."""
    def name_of(data):
        return next(value for number, value in members(data) if number == 1).decode()

    def message(prefix, data):
        name = f"{prefix}.{name_of(data)}"
        yield name
        for number, value in members(data):
            if number == 3:
                yield from message(name, value)
            elif number in (2, 4):
                yield f"{name}.{name_of(value)}"

    for number, value in members(file):
        if number == 4:
            yield from message(package, value)
        elif number == 5:
            yield f"{package}.{name_of(value)}"
        elif number == 6:
            service = f"{package}.{name_of(value)}"
            yield service
            for inner, method in members(value):
                if inner == 2:
                    yield f"{service}.{name_of(method)}"


def descriptors(protoc, source, folder):
    path = folder / "set"
    subprocess.run([protoc, "-I", source, f"--descriptor_set_out={path}"] + DESCRIBED, check=True, cwd=source)
    rows, arrays = [], []
    for index, (_, file) in enumerate(members(path.read_bytes())):
        fields = {number: value.decode() for number, value in members(file) if number in (1, 2)}
        numbers = ",".join(str(byte) for byte in file)
        arrays.append(f"static const unsigned char file_{index}[] = {{{numbers}}};\n"
                      f"static const char *const symbols_{index}[] = {{"
                      + ", ".join(f'"{s}"' for s in symbols(fields[2], file)) + ", 0};\n")
        rows.append(f'    {{"{fields[1]}", file_{index}, sizeof file_{index}, symbols_{index}}},\n')
    return ('#include "daemon/descriptors.h"\n\n' + "".join(arrays)
            + "const struct proto_descriptor proto_descriptors[] = {\n" + "".join(rows) + "    {0, 0, 0, 0},\n};\n")


def main():
    protoc, source, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for proto in CODE:
            # From its own folder, so that the files include each other by name alone.
            parent = pathlib.Path(source) / pathlib.Path(proto).parent
            subprocess.run([protoc, "-I", str(parent), f"--c_out={folder}", pathlib.Path(proto).name], check=True,
                           cwd=parent)
        for made in folder.glob("*.pb-c.*"):
            shutil.copy(made, out / made.name)
        (out / "descriptors.c").write_text(descriptors(protoc, source, folder))


if __name__ == "__main__":
    main()
