#!/bin/sh
# Copy the programs of a build folder into one place.
# usage: collect.sh BUILD_FOLDER TO
# SPDX-License-Identifier: Apache-2.0 OR MIT
set -eu
find "$1/tools" -type f -perm -u+x ! -path '*.p/*' ! -name '*.so*' -exec install -C -m 755 '{}' "$2/" ';'
