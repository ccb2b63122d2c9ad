#!/usr/bin/env bash
# What one run leaves of another's results and reports, models on the command line, and outputs that
# cannot be written.
set -euo pipefail
program=$1
root=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() { echo "$*" >&2; exit 1; }
has() { grep -qF -- "$2" "$1" || { cat "$1" >&2; fail "no '$2' in $1"; }; }
rows() { sqlite3 "$1" "SELECT model FROM results WHERE metric = 'acc'"; }
refused() { # refused EXPECTED COMMAND...: status 2 and a message that holds EXPECTED
  local expected=$1 status=0
  shift
  "$@" >out 2>err || status=$?
  [ $status -eq 2 ] || { cat err >&2; fail "status $status, not 2: $*"; }
  has err "$expected"
}

mkdir -p a/final b/final x y
cp "$root"/configs/models/tiny-rope/* a/final/
cp "$root"/configs/models/tiny-rope/* b/final/
printf '{"q": "1+1=", "o": ["2", "3"], "a": 0}\n' >sums.jsonl
printf 'data: ../sums.jsonl\noutput_type: multiple_choice\ndoc_to_text: "{{q}}"\ndoc_to_choice: o\ndoc_to_target: a\n' >x/default.yaml
cp x/default.yaml y/default.yaml

# A second model on the same database is added.
"$program" run --tasks x/default.yaml --model first=a/final --db r.db -o report >out 2>err
has out "report/report.html"
"$program" run --tasks x/default.yaml --model second=b/final --db r.db -o report >out 2>err
[ "$(rows r.db | tr '\n' ' ')" = "first second " ] || fail "shown: $(rows r.db)"
"$program" run --tasks x/default.yaml --model second=b/final --db r.db -o report --prune >out 2>err
has err "suite 'x_default' no longer shows 1 cell (first/default)"
[ "$(rows r.db | tr '\n' ' ')" = "second " ] || fail "shown: $(rows r.db)"

# Task files that are called alike are suites of their own, and no report replaces another's.
refused "belongs to suite 'x_default'" \
  "$program" run --tasks y/default.yaml --model a/final --db r.db -o report
refused "belongs to suite 'x_default'" \
  "$program" run --tasks x/default.yaml --model a/final --db other.db -o report
[ ! -e other.db ] || fail "it was found before anything was computed"

# A pattern; folders that are called alike are told apart; settings for them.
"$program" run --tasks y/default.yaml --model '[ab]/final' --db p.db -o p --bos never \
  --dtype bfloat16 --position '{"rope_type": "linear", "factor": 2.0}' >out 2>err
[ "$(rows p.db | tr '\n' ' ')" = "a/final b/final " ] || fail "shown: $(rows p.db)"
[ "$(sqlite3 p.db "SELECT DISTINCT dtype FROM cell")" = bfloat16 ] || fail "--dtype was not used"
sqlite3 p.db "SELECT position_plan FROM model" >plan
has plan linear
refused "no folder or .gguf file is called so" \
  "$program" run --tasks y/default.yaml --model 'c*/final' --db p.db
refused "--position" "$program" run --tasks y/default.yaml --model a/final --position '{' --db p.db
"$program" plan --tasks y/default.yaml --model a/final --db p.db -o p --profile --prune >out
has out "to do"

# A task file is no suite; an option that is not there has a nearest one.
refused "run --tasks x/default.yaml --model DIR" "$program" run x/default.yaml
refused "did you mean '--limit'?" "$program" run x/default.yaml --limt 3
"$program" validate x/default.yaml >out
has out "without --model, counted in bytes: a request:"
has out "1+1="

# Outputs that cannot be written.
refused "is a file or a device" "$program" run --tasks x/default.yaml --model a/final --db n.db -o sums.jsonl
refused "cannot be made" "$program" run --tasks x/default.yaml --model a/final --db n.db -o sums.jsonl/deep
[ ! -e n.db ] || fail "a report folder is tried before anything is computed"
if [ -e /dev/full ]; then
  refused "/dev/full" "$program" run --tasks x/default.yaml --model a/final --db n.db -o /dev/full
  status=0
  "$program" list tasks >/dev/full 2>err || status=$?
  [ $status -eq 2 ] || fail "a full standard output gave status $status"
  has err "standard output could not be written"
  status=0
  "$program" run --tasks x/default.yaml --model a/final --db l.db -o l >out 2>/dev/full || status=$?
  [ $status -eq 2 ] || fail "a full standard error gave status $status"
  has out "1 cells computed, 0 failed"
  has out "standard error could not be written"
fi

# A suite that asks nothing says so.
printf 'aaaa' >short.txt
printf 'name: nothing\nlengths: [256]\nmodels: [{path: a/final}]\ntasks: [{name: k, kind: passkey, lengths: [8]}]\n' >nothing.yaml
status=0
"$program" run nothing.yaml --db z.db -o z >out 2>err || status=$?
[ $status -eq 1 ] || { cat out err >&2; fail "a suite that asks nothing gave status $status"; }
has err "nothing was asked"
