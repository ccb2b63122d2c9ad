#!/usr/bin/env bash
# What `plan` says of shared prefixes is the closed form, and sharing across cells changes no number.
set -euo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
model=$PWD/configs/models/tiny-rope

# 16,384 ids of a linear congruential generator (Numerical Recipes' constants), below the vocabulary.
awk 'BEGIN { x = 1; printf "["
  for (i = 0; i < 16384; i++) { x = (1664525 * x + 1013904223) % 4294967296
    printf "%s%d", i ? "," : "", 10 + int(x / 65536) % 200 }
  print "]" }' >"$folder/ids.json"
cat >"$folder/suite.yaml" <<END
name: sharing
models: [{name: rope, path: $model}]
lengths: [512, 1k, 2k, 4k, 8k]
tasks:
  - {name: disjoint, kind: perplexity, protocol: disjoint, data: ids.json}
  - {name: nested, kind: perplexity, protocol: nested, data: ids.json}
END

# Windows without BOS: see tests/harness/count_plan_test.cpp for the counts.
"$program" plan "$folder/suite.yaml" --db "$folder/x.db" >"$folder/plan"
for line in \
  'total  rope/disjoint: 81,920 tokens asked, 49,120 computed: 1.67 times less than 81,858 without sharing' \
  'total  rope/nested: 31,744 tokens asked, 16,382 computed: 1.94 times less than 31,734 without sharing' \
  '10 cells to do: 72 samples, 113,664 tokens asked, 65,502 computed: 1.73 times less than 113,592 without sharing'; do
  grep -qxF "$line" "$folder/plan" || { echo "no line '$line' in:"; cat "$folder/plan"; exit 1; }
done
"$program" run "$folder/suite.yaml" --db "$folder/x.db" --dry-run | cmp - "$folder/plan"
"$program" plan "$folder/suite.yaml" --db "$folder/x.db" --no-sharing |
  grep -qxF 'total  rope/nested: 31,744 tokens asked, 31,734 computed'
# Two names of one model are one computation.
sed "s|^models: .*|models: [{name: rope, path: $model}, {name: again, path: $model}]|" \
  "$folder/suite.yaml" >"$folder/twice.yaml"
"$program" plan "$folder/twice.yaml" --db "$folder/x.db" >"$folder/twice"
[ "$(grep -c '^same   again/' "$folder/twice")" -eq 10 ]
[ "$(tail -n 1 "$folder/twice")" = "$(tail -n 1 "$folder/plan")" ]
[ ! -e "$folder/x.db" ] || { echo "plan made a database"; exit 1; }

# The same bits with sharing and without, on one slot and on two.
run() { # run NAME [options]
  local name=$1
  shift
  "$program" run "$folder/suite.yaml" --set 'lengths=[64, 128, 256, 512]' --db "$folder/$name.db" \
    -o "$folder/report.$name" --limit 12 "$@" >"$folder/out" 2>&1 || { cat "$folder/out"; exit 1; }
  sqlite3 "$folder/$name.db" "
    SELECT c.key, x.sample_id, x.status, x.\"values\", x.details
      FROM sample x JOIN cell c ON c.id = x.cell_id ORDER BY c.key, x.sample_id;
    SELECT c.key, m.name, m.value, m.ci_low, m.ci_high, m.n
      FROM metric m JOIN cell c ON c.id = m.cell_id ORDER BY c.key, m.name;" >"$folder/$name.txt"
}
run shared --devices cpu:1
run alone --devices cpu:1 --no-sharing
run slots --devices cpu:1,cpu:1
[ "$(wc -l <"$folder/shared.txt")" -gt 80 ]
cmp "$folder/shared.txt" "$folder/alone.txt"
cmp "$folder/shared.txt" "$folder/slots.txt"

# At the longest length nested is disjoint.
values() {
  sqlite3 "$folder/shared.db" "SELECT metric, value, ci_low, ci_high, n FROM results
    WHERE task = '$1' AND length = $2 ORDER BY metric"
}
[ "$(values nested 512)" = "$(values disjoint 512)" ]
[ "$(values nested 256)" != "$(values disjoint 256)" ]
echo "plans are the closed forms, and sharing changes no number"
