#!/usr/bin/env bash
# `verify` says whether a model gives stored logits (exit 0 or 1), which layer differs first, and
# what is wrong with a reference (exit 2).
set -euo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
model=configs/models/tiny-rope

expect() { # expect STATUS TEXT ARGUMENTS...: verify ends with STATUS and says TEXT
  local wanted=$1 text=$2 status=0
  shift 2
  "$program" verify "$@" >"$folder/out" 2>&1 || status=$?
  if [ $status -ne "$wanted" ] || ! grep -qE -- "$text" "$folder/out"; then
    echo "verify $*: expected status $wanted and '$text', got $status and:"
    cat "$folder/out"
    exit 1
  fi
}

echo '[5, 300, 7, 41, 41, 512, 99, 3]' >"$folder/ids.json"
"$program" score --model $model --tokens "$folder/ids.json" --logits "$folder/logits.npy" >/dev/null
own=(--against "$folder/logits.npy" --tokens "$folder/ids.json")

expect 0 'worst difference 0.00e\+00, mean 0.00e\+00' $model "${own[@]}"
expect 0 '"within_tolerance": true' $model "${own[@]}" --json
other=(--position '{"kind": "none"}')
expect 1 'the logits differ; with hidden states in the reference' $model "${own[@]}" "${other[@]}"
expect 0 'all within 1000' $model "${own[@]}" "${other[@]}" --tolerance 1000
expect 1 '"within_tolerance": false' $model "${own[@]}" "${other[@]}" --json

expect 2 'holds no tokens; name their file' $model --against "$folder/logits.npy"
expect 2 'logits.pt: expected a .safetensors or .npy file' $model --against "$folder/logits.pt"
expect 2 'absent.npy' $model --against "$folder/absent.npy"
expect 2 'expected a number from 0 on' $model "${own[@]}" --tolerance -1
echo '[5, 300, 7, 41, 41, 512, 99, 790]' >"$folder/beyond.json"
expect 2 'token 7 of sequence 0 is 790, but the model.s vocabulary has ids 0 to 789' \
  $model --against "$folder/logits.npy" --tokens "$folder/beyond.json"
echo '[5, 300, 7]' >"$folder/short.json"
expect 2 "'logits' is \[8, 790\], but there are 3 tokens" \
  $model --against "$folder/logits.npy" --tokens "$folder/short.json"
head -c 4000 "$folder/logits.npy" >"$folder/cut.npy"
expect 2 'cut.npy: not a readable .npy' $model --against "$folder/cut.npy" --tokens "$folder/ids.json"

golden=${YARDSTICK_SHARED:-../shared}/golden
if [ -d "$golden/olmo_fope" ]; then
  rope=$golden/olmo_fope/rope
  stored=(--against "$rope/logits.npy" --tokens "$rope/input_ids.npy"
    --hidden-states "$rope/hidden_states.npy")
  expect 0 'layer 2, final norm ' "$rope" "${stored[@]}"
  expect 1 'layer 0 is the first that differs, by .*, from position 1 on; its input agrees .*queries, keys' \
    "$rope" "${stored[@]}" --position '{"rope_theta": 500}'
  expect 1 '"first_state_that_differs": 1,' \
    "$rope" "${stored[@]}" --position '{"rope_theta": 500}' --json
  expect 2 "'hidden_states.0.' is .160, 64., but there are 8 tokens" \
    $model "${own[@]}" --hidden-states "$rope/hidden_states.npy"
fi
if [ -d "$golden/hf_transformers" ]; then
  # Two sequences, each by itself.
  qwen=$golden/hf_transformers/qwen3
  expect 0 'mean loss .* 208 tokens' "$qwen" --against "$qwen/logits.npy" --tokens "$qwen/tokens.json"
fi
echo "verify tells models that agree from models that do not"
