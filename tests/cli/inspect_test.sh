#!/usr/bin/env bash
# `inspect` prints the position plan that a model is evaluated with. Expected values are closed
# forms: RoPE theta^(-2i/D) (arXiv 2104.09864), ALiBi 2^(-8h/H) (arXiv 2108.12409), FoPE's floor
# 2 pi / L_train (arXiv 2412.17739) with theta 10000, D 64, H 4, L_train 128.
set -euo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

expect() { # FILE LINE
  grep -qxF "$2" <(sed 's/^ *//; s/,$//' "$1") || { echo "$1 lacks: $2"; cat "$1"; exit 1; }
}

"$program" inspect configs/models/tiny-rope --json >"$folder/rope.json"
expect "$folder/rope.json" '"kind": "rope"'
expect "$folder/rope.json" '"training_length": 128'
expect "$folder/rope.json" '"frequency": 0.10000000149011612' # pair 8, in f32
expect "$folder/rope.json" '"frequency": 0.3162277638912201'  # pair 4
[ "$(grep -c '"wavelength": [0-9]' "$folder/rope.json")" -eq 32 ]

# 10000^(-i/32) >= 2 pi / 128 for i = 0 .. 10.
"$program" inspect configs/models/tiny-fope --json >"$folder/fope.json"
expect "$folder/fope.json" '"floor_frequency": 0.04908738521234052'
expect "$folder/fope.json" '"input_count": 11'
expect "$folder/fope.json" '"output_count": 11' # min(11, 64 / 4)
[ "$(grep -c '"class": "zero"' "$folder/fope.json")" -eq 21 ]

"$program" inspect configs/models/tiny-alibi --json >"$folder/alibi.json"
for slope in 0.25 0.0625 0.015625 0.00390625; do expect "$folder/alibi.json" "$slope"; done

# People get the same, with the key that each value came from.
"$program" inspect configs/models/tiny-fope >"$folder/fope.txt"
grep -qE '^ +floor_frequency +config.json: position.floor_frequency' "$folder/fope.txt"
grep -qE '^ +10 +0\.0562.* full$' "$folder/fope.txt"
grep -qE "^BOS +none \(tokenizer.json: its post-processor puts nothing before a text\)" "$folder/fope.txt"

# The BOS policy of the command line; this tokenizer's files name no BOS.
"$program" inspect configs/models/tiny-fope --bos never >"$folder/never.txt"
grep -qE '^BOS +none \(bos: never\)' "$folder/never.txt"

set +e
"$program" inspect configs/models/tiny-fope --bos sometimes 2>"$folder/err"
[ $? -eq 2 ] && grep -q "always" "$folder/err" || { echo "--bos sometimes was accepted"; exit 1; }
"$program" inspect configs/models/no-such-model 2>"$folder/err"
[ $? -eq 2 ] && grep -q "no-such-model" "$folder/err" || { echo "a missing folder was accepted"; exit 1; }
echo "inspect prints the closed forms"
