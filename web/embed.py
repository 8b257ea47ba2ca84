#!/usr/bin/env python3
"""Make C tables of files: embed.py FILE... OUT writes struct asset assets[] (daemon/assets.h).

SPDX-License-Identifier: Apache-2.0 OR MIT
"""
import pathlib
import sys

TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}


def main():
    files = [pathlib.Path(name) for name in sys.argv[1:-1]]
    arrays, rows = [], []
    for index, file in enumerate(files):
        data = file.read_bytes()
        arrays.append(f"static const unsigned char file_{index}[] = {{{','.join(map(str, data))}}};\n")
        path = "/" if file.name == "index.html" else "/" + file.name
        rows.append(f'    {{"{path}", "{TYPES[file.suffix]}; charset=utf-8", file_{index}, sizeof file_{index}}},\n')
    pathlib.Path(sys.argv[-1]).write_text('#include "daemon/assets.h"\n\n' + "".join(arrays)
                                          + "const struct asset assets[] = {\n" + "".join(rows) + "    {0, 0, 0, 0},\n};\n")


if __name__ == "__main__":
    main()
