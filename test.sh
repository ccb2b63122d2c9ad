#!/usr/bin/env bash
# Builds and runs all tests. Arguments go to ctest, e.g. ./test.sh -R tokenizer
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
cmake --preset release
cmake --build --preset release
ctest --preset release "$@"
