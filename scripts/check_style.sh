#!/usr/bin/env bash
# Style checks that need no build: include direction, tests listed in CMake, layout (clang-format,
# where it is installed).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
status=0
complain() {
  echo "$*" >&2
  status=1
}

# core <- models <- tasks <- harness <- reports <- cli; tasks see one header of models.
allowed() {
  case "$1" in
    core) echo "core" ;;
    models) echo "core|models" ;;
    tasks) echo "core|tasks|models/engine/request\.hpp" ;;
    harness) echo "core|models|tasks|harness" ;;
    reports) echo "core|tasks|harness/store|reports" ;;
    cli) echo "core|models|tasks|harness|reports|cli" ;;
  esac
}
for room in core models tasks harness reports cli; do
  while IFS= read -r line; do
    complain "include direction: $line"
  done < <(grep -rnE '^#include "' "$room" --include='*.hpp' --include='*.cpp' --include='*.cu' |
    grep -E '"(core|models|tasks|harness|reports|cli)/' | grep -vE "\"($(allowed "$room"))" || true)
done

# A test file that no CMakeLists.txt names would never run.
while IFS= read -r file; do
  list="$(dirname "$file")"
  while [ ! -f "$list/CMakeLists.txt" ]; do list="$(dirname "$list")"; done
  grep -q "${file#"$list"/}" "$list/CMakeLists.txt" || complain "not built: $file"
done < <(find tests -name '*_test.cpp' | sort)

if command -v clang-format >/dev/null; then
  find core models tasks harness reports cli tests -name '*.[ch]pp' -print0 |
    xargs -0 clang-format --dry-run -Werror || status=1
else
  echo "check_style.sh: clang-format is not installed; layout was not checked"
fi
exit $status
