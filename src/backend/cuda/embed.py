#!/usr/bin/env python3
"""Write an assembler source that holds fat binaries as bytes, with the table CUDA_MODULES over them.

usage: embed.py OUT.S NAME=FILE...

The files' digests stand in the source: it changes when they do, and is assembled again.

SPDX-License-Identifier: Apache-2.0 OR MIT
"""
import hashlib
import pathlib
import sys


def main():
    out, modules = sys.argv[1], [argument.split("=", 1) for argument in sys.argv[2:]]
    lines = ["/* Made by embed.py. SPDX-License-Identifier: Apache-2.0 OR MIT */", '.section .rodata,"a"']
    for number, (name, path) in enumerate(modules):
        file = pathlib.Path(path).resolve()
        lines += [
            f"/* {hashlib.sha256(file.read_bytes()).hexdigest()} */",
            f'.Lname{number}: .asciz "{name}"',
            ".balign 64",
            f'.Limage{number}: .incbin "{file}"',
            f".Lend{number}:",
        ]
    lines += ['.section .data.rel.ro,"aw"', ".balign 8", ".globl CUDA_MODULES", ".hidden CUDA_MODULES", "CUDA_MODULES:"]
    for number in range(len(modules)):
        lines.append(f".quad .Lname{number}, .Limage{number}, .Lend{number}")
    lines += [".quad 0, 0, 0", '.section .note.GNU-stack,"",%progbits']
    pathlib.Path(out).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
