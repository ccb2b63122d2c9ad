#!/usr/bin/env bash
# Tasks by name and by file: run, show and validate without a suite, and stretched questions.
set -euo pipefail
program=$1
root=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
model=$root/configs/models/tiny-rope
cd "$folder"

fail() { echo "$*" >&2; exit 1; }
has() { grep -qF -- "$2" "$1" || { cat "$1" >&2; fail "no '$2' in $1"; }; }

cat >capitals.jsonl <<'END'
{"country": "France", "options": ["Paris", "Lyon", "Nice"], "answer": 0}
{"country": "Japan", "options": ["Osaka", "Tokyo", "Kyoto"], "answer": 1}
{"country": "Peru", "options": ["Cusco", "Arequipa", "Lima"], "answer": 2}
END
cat >capitals.yaml <<'END'
task: capitals
data: capitals.jsonl
output_type: multiple_choice
doc_to_text: "Question: What is the capital of {{country}}?\nAnswer:"
doc_to_choice: options
doc_to_target: answer
END
for i in $(seq 200); do printf 'The %d birds sing. ' "$i"; done >birds.txt
cat >stretched.yaml <<'END'
include: capitals.yaml
task: stretched
stretch: {by: haystack, source: birds.txt, lengths: [128, 256]}
END

"$program" validate capitals.yaml --model "$model" >out
has out "ok  task capitals"
"$program" show ./capitals.yaml --model "$model" -n 3 >out
has out '|A|n|s|w|e|r|:|'
has out 'scored: |·|P|a|r|i|s|'

"$program" run --tasks ./capitals.yaml,./stretched.yaml -m "$model" --db r.db -o out.d >out 2>err
has out "capitals (acc, n = 3)"
has out "4 cells computed, 0 failed, 0 skipped"
"$program" run --tasks ./capitals.yaml,./stretched.yaml -m "$model" --db r.db -o out.d >out 2>err
has out "0 cells computed, 0 failed, 0 skipped; 4 were stored before"
most=$(sqlite3 r.db "SELECT max(json_extract(s.details, '\$.length_tokens')) FROM sample s
  JOIN cell c ON c.id = s.cell_id WHERE c.length = 256")
[ "$most" -le 256 ] && [ "$most" -gt 250 ] || fail "a prompt for 256 tokens has $most"

# Names of the library, and what is wrong says where.
"$program" list tasks >out
has out "ruler/vt"
"$program" show niah_single_1 -m "$model" --lengths 512 >out
has out "length 512"
# All 13 of RULER's run without any data; lengths go to no task that has none.
"$program" validate "$root/configs/tasks/ruler/qa_2.yaml" -m "$model" --lengths 2k >out
has out "known for making"
"$program" plan --tasks ruler -m "$model" --lengths 4k --limit 1 >out 2>err
has out "13 cells to do: 13 samples"
"$program" plan --tasks ruler/niah_single_2 -m "$model" --lengths 1k --limit 1 --haystack birds.txt >out
has out "1 cells to do: 1 samples"
if "$program" run --tasks ./capitals.yaml -m "$model" --lengths 1k 2>err; then fail "--lengths had no effect"; fi
has err "--lengths: the task 'capitals' is not asked at lengths"
"$program" plan --tasks ./capitals.yaml,./stretched.yaml -m "$model" --lengths 128 >out 2>err
has err "note: --lengths: the task 'capitals'"
# What cannot be opened does not keep the others from running; nothing asked is no success.
cat >gone.yaml <<'END'
include: capitals.yaml
task: gone
data: {test: gone.jsonl}
END
set +e
"$program" run --tasks ./gone.yaml,./capitals.yaml -m "$model" --db part.db -o part.d >out 2>err
[ $? -eq 1 ] || fail "expected status 1"
set -e
has err "gone.jsonl"
has out "1 cells computed"
printf 'a' >short.txt
printf 'kind: perplexity\ntask: short\ndata: short.txt\n' >short.yaml
set +e
"$program" run --tasks ./short.yaml -m "$model" --lengths 512 --db short.db -o short.d >out 2>err
[ $? -eq 1 ] || fail "expected status 1"
set -e
has err "nothing was asked"

if "$program" run --tasks no_such_task -m "$model" 2>err; then fail "an unknown task ran"; fi
has err "there is no task 'no_such_task'"
if "$program" run --tasks capitals.yaml 2>err; then fail "ran without a model"; fi
has err "--model"
sed -i 's/doc_to_text/doc_to_txt/' capitals.yaml
if "$program" validate capitals.yaml 2>err; then fail "a misspelt key passed"; fi
has err "capitals.yaml:"
has err "capitals.yaml:4:1: did you mean 'doc_to_text'?"
