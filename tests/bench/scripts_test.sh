#!/usr/bin/env bash
# The benchmarks run from end to end on a shipped model, without peers and with settings so small
# that the figures mean nothing.
set -euo pipefail
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
unset LLAMA_PERPLEXITY TRANSFORMERS_PYTHON
bench=tests/bench
python3 "$bench/measure_test.py"

page=$(mktemp)
trap 'rm -f "$page"' EXIT
ours=(--yardstick "$1" --busy --repeats 1)
text=(--model configs/models/tiny-rope --text configs/data/smallworld/documents.jsonl)

# run SCRIPT PATTERN ARGUMENTS...: the page that the script prints has a row of the pattern.
run() {
  python3 "$bench/$1" "${ours[@]}" "${@:3}" >"$page"
  grep -qE "$2" "$page" || { echo "$1: no row like $2 in"; cat "$page"; exit 1; }
}
run perplexity_speed.py '^\| 64 \| yardstick \| [0-9]+ \| 1\.00 ' \
  "${text[@]}" --lengths 64 --tokens 2048 --threads 1
run length_curve.py '^\| yardstick, disjoint \| .* \| 1\.00 \|$' \
  "${text[@]}" --lengths 64,128 --tokens 256 --threads 1 --protocols disjoint
run long_context.py '^\| 256 \| yardstick \| [0-9]+ \| 1\.00 ' "${text[@]}" --lengths 256 --threads 1
# With and without sharing: the same metrics within 1e-5.
equal='(0\.0e\+00|[0-9.]+e-(0[6-9]|[1-9][0-9]))'
run shared_context.py "^\\| pass-key grid, 2 depths x 1 lengths \\| without .* $equal \\|\$" "${text[@]}" \
  --context 100 --questions 1 --depths 2 --lengths 512 --threads 1
run share_of_limit.py '^\| 256 \| bfloat16 \| [0-9]+ ' "${text[@]}" --lengths 256
run prompt_building.py '^\| 3 \| 512 \| [0-9.]+ ' --model configs/models/tiny-rope --samples 3 --length 512
run model_load.py '^\| large \| [0-9]+ ' --width 128 --layers 1

# A text that is too short is named, with what it has and what it needs.
if python3 "$bench/perplexity_speed.py" "${ours[@]}" "${text[@]}" --tokens 16384000 2>"$page" >&2; then
  echo "a text that is too short was accepted"
  exit 1
fi
grep -qE 'documents\.jsonl: found [0-9]+ tokens, need 16384000' "$page" || { cat "$page"; exit 1; }
