#!/usr/bin/env bash
# `complete`: greedy by default, sampled with --temp, repeatable by seed; bad values are refused.
set -euo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
complete() { "$program" complete --model configs/models/tiny-rope --prompt 'The grass is green.' -n 12 "$@"; }

complete >"$folder/greedy"
grep -qE '^\{"prompt_tokens":[0-9]+,"text":".+","ids":\[[0-9,]+\],"nll":\[[0-9.,e-]+\]\}$' "$folder/greedy"
complete --temp 0 --top-k 40 >"$folder/cold"
complete --temp 1.5 --top-k 1 >"$folder/one"
cmp "$folder/greedy" "$folder/cold"
cmp "$folder/greedy" "$folder/one"

complete --temp 1.5 --seed 1 >"$folder/a"
complete --temp 1.5 --seed 1 >"$folder/b"
complete --temp 1.5 --seed 2 >"$folder/c"
cmp "$folder/a" "$folder/b"
! cmp -s "$folder/a" "$folder/c" || { echo "another seed gave the same text"; exit 1; }

set +e
refuse() {
  local expected=$1
  shift
  complete "$@" >/dev/null 2>"$folder/err"
  [ $? -eq 2 ] || { echo "$* was accepted"; exit 1; }
  grep -qF -- "$expected" "$folder/err" || { echo "$*: $(cat "$folder/err")"; exit 1; }
}
refuse 'top_p is 2' --temp 1 --top-p 2
refuse 'temperature is -1' --temp -1
refuse '--top-k has no effect' --top-k 5
refuse '--predict' -n 0
echo "complete is greedy, sampled and repeatable"
