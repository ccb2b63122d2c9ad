#!/usr/bin/env bash
# `score` and `tokenize` speak JSON Lines, and agree with each other on a shipped model.
set -euo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
model=configs/models/tiny-rope

text='The grass is green. The sky is blue.'
ids=$(printf '{"text":"%s"}\n' "$text" | "$program" tokenize --tokenizer "$model" | sed 's/.*"ids": *\(\[[^]]*\]\).*/\1/')
back=$(printf '{"ids":%s}\n' "$ids" | "$program" tokenize --tokenizer "$model" --decode)
grep -qF "$text" <<<"$back" || { echo "round trip gave $back"; exit 1; }

printf '[%s,%s]' "$ids" "$ids" >"$folder/ids.json"
"$program" score --model "$model" --tokens "$folder/ids.json" >"$folder/scores"
[ "$(wc -l <"$folder/scores")" -eq 2 ]
[ "$(sort -u "$folder/scores" | wc -l)" -eq 1 ] # the same sequence twice: the same line twice
grep -qE '"tokens": ?[0-9]+' "$folder/scores"
grep -qE '"perplexity": ?[0-9.]+' "$folder/scores"

printf '%s' "$ids" >"$folder/one.json"
"$program" score --model "$model" --tokens "$folder/one.json" --logits "$folder/logits.npy" >/dev/null
head -c 6 "$folder/logits.npy" | tail -c 5 | grep -q NUMPY

# The parts of the time are the whole of it.
"$program" score --model "$model" --tokens "$folder/one.json" --profile >/dev/null 2>"$folder/profile"
sum=$(grep -oE '[0-9.]+ %,? ?' "$folder/profile" | head -4 | awk '{ sum += $1 } END { print sum }')
awk -v sum="$sum" 'BEGIN { exit !(sum > 99.7 && sum < 100.3) }' || { cat "$folder/profile"; exit 1; }
grep -qE 'GFLOP needed, [0-9.]+ GFLOP/s a thread, [0-9]+ % of the [0-9.]+' "$folder/profile"

set +e
printf 'not json\n' | "$program" tokenize --tokenizer "$model" >/dev/null 2>"$folder/err"
[ $? -eq 2 ] || { echo "a malformed line was accepted"; exit 1; }
printf '[999999]' >"$folder/ids.json"
"$program" score --model "$model" --tokens "$folder/ids.json" >/dev/null 2>"$folder/err"
[ $? -eq 2 ] || { echo "an id beyond the vocabulary was accepted"; exit 1; }

echo "score and tokenize agree"
