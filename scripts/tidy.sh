#!/usr/bin/env bash
# Runs clang-tidy over the program's and the tests' sources, or over the files given. Needs a
# configured build (./setup.sh) and clang-tidy 16 or newer: 14, Debian 12's default, knows neither
# all the checks nor libstdc++'s std::source_location. Debian: apt-get install clang-tidy-16
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tidy=${CLANG_TIDY:-$(command -v clang-tidy-16 || command -v clang-tidy || true)}
[ -n "$tidy" ] || { echo "tidy.sh: clang-tidy is not installed (apt-get install clang-tidy-16)" >&2; exit 2; }
version=$("$tidy" --version | grep -oE 'version [0-9]+' | grep -oE '[0-9]+')
[ "$version" -ge 16 ] || { echo "tidy.sh: $tidy is version $version; expected 16 or newer" >&2; exit 2; }
build=build/release
[ -f "$build/compile_commands.json" ] || { echo "tidy.sh: no $build/compile_commands.json; run ./setup.sh first" >&2; exit 2; }
files=("$@")
if [ ${#files[@]} -eq 0 ]; then
  mapfile -t files < <(find core models tasks harness reports cli tests -name '*.cpp' | sort)
fi
# LibTorch's headers use c10::IValue before they define it, which clang refuses and g++ does not.
torch_rooms='^(tests/)?models/(attention|decoder|engine|train)/'
torch=() plain=()
for file in "${files[@]}"; do
  if [[ $file =~ $torch_rooms ]]; then torch+=("$file"); else plain+=("$file"); fi
done
status=0
run() { # EXTRA-ARGUMENT... -- FILE...
  local extra=()
  while [ "$1" != -- ]; do extra+=("--extra-arg=$1"); shift; done
  shift
  [ $# -gt 0 ] || return 0
  printf '%s\0' "$@" |
    xargs -0 -n 4 -P "$(nproc)" "$tidy" -p "$build" --quiet "${extra[@]}" || status=1
}
run -Wno-unknown-warning-option -- "${plain[@]}"
run -Wno-unknown-warning-option -include ATen/core/ivalue.h -- "${torch[@]}"
exit $status
