"""Write a C source that holds a digest of what decides the rows of all circuits: the sources in some folders.

revision.py OUT DEPFILE FOLDER...
SPDX-License-Identifier: Apache-2.0 OR MIT"""

import hashlib
import pathlib
import sys

out, depfile, *folders = sys.argv[1:]
sources = sorted(p for f in folders for p in pathlib.Path(f).iterdir() if p.suffix in {".c", ".h", ".inc", ".cpp"})
digest = hashlib.sha256()
for source in sources:
    digest.update(source.name.encode() + b"\0" + hashlib.sha256(source.read_bytes()).digest())
bytes_text = ", ".join(f"0x{b:02x}" for b in digest.digest())
text = f'#include "circuits/revision.h"\n\nconst uint8_t circuits_revision[32] = {{{bytes_text}}};\n'
pathlib.Path(out).write_text(text)
pathlib.Path(depfile).write_text(f"{out}: {' '.join(map(str, sources))}\n")
