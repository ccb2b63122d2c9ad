#!/usr/bin/env bash
# `complete`: greedy by default, sampled with --temp, repeatable by seed; bad values are refused.
set -euo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
complete() { "$program" complete --model configs/models/tiny-rope --prompt 'The grass is green.' -n 12 "$@"; }

complete >"$folder/greedy"
grep -qE '^\{"prompt_tokens":[0-9]+,"text":".+","ids":\[[0-9,]+\],"nll":\[[0-9.,e-]+\],"finish":"length"\}$' "$folder/greedy"
complete --temp 0 --top-k 40 >"$folder/cold"
complete --temp 1.5 --top-k 1 >"$folder/one"
cmp "$folder/greedy" "$folder/cold"
cmp "$folder/greedy" "$folder/one"

complete --temp 1.5 --seed 1 >"$folder/a"
complete --temp 1.5 --seed 1 >"$folder/b"
complete --temp 1.5 --seed 2 >"$folder/c"
cmp "$folder/a" "$folder/b"
! cmp -s "$folder/a" "$folder/c" || { echo "another seed gave the same text"; exit 1; }

# A model whose end of text is the full stop, which the greedy text has: it ends in front of it.
cp -r configs/models/tiny-rope "$folder/stops"
sed -i 's/"eos_token": "[^"]*"/"eos_token": "."/' "$folder/stops/tokenizer_config.json"
stopping() { "$program" complete --model "$folder/stops" --prompt 'The grass is green.' "$@"; }
stopping -n 12 --threads 2 >"$folder/stopped"
text=$(sed 's/.*"text":"\([^"]*\)".*/\1/' "$folder/stopped")
grep -qF "\"text\":\"$text." "$folder/greedy" || { echo "'$text' does not end at a full stop"; exit 1; }
grep -qF '"finish":"stop"' "$folder/stopped"
count=$(sed 's/.*"ids":\[\([^]]*\)\].*/\1/' "$folder/stopped" | tr ',' '\n' | wc -l)
stopping -n "$count" | grep -qF '"finish":"length"'

# Every id of generation_config.json ends an answer too: here the fourth token of the greedy text.
cp -r configs/models/tiny-rope "$folder/ends"
ids=$(sed 's/.*"ids":\[\([^]]*\)\].*/\1/' "$folder/greedy")
end=$(cut -d, -f4 <<<"$ids")
echo "{\"eos_token_id\": [$end]}" >"$folder/ends/generation_config.json"
"$program" complete --model "$folder/ends" --prompt 'The grass is green.' -n 12 >"$folder/ended"
grep -qF '"finish":"stop"' "$folder/ended" || { echo "id $end did not end the text"; exit 1; }
before=$(tr ',' '\n' <<<"$ids" | sed "/^$end\$/,\$d" | paste -sd, -)
grep -qF "\"ids\":[$before]" "$folder/ended" || { echo "$(cat "$folder/ended") is not [$before]"; exit 1; }

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
refuse '--threads' -t 0
echo "complete is greedy, sampled and repeatable"
