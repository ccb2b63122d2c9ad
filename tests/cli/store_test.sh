#!/usr/bin/env bash
# A database from outside: nothing is left beside it, it is read in a folder without write permission,
# cells are forgotten (after a look at which) or deleted with plain SQL, and computed again.
set -euo pipefail
program=$1
folder=$(mktemp -d)
open=$(mktemp -d)
chmod 777 "$open"
trap 'chmod -R u+w "$folder"; rm -rf "$folder" "$open"' EXIT
db=$folder/r.db

fail() { echo "$1"; exit 1; }
run() { "$program" run configs/quickstart.yaml --limit 2 --db "$db" -o "$folder/report" >"$folder/out" 2>"$folder/err"; }
count() { sqlite3 "$db" "SELECT count(*) FROM $1"; }

run || { cat "$folder/err"; exit 1; }
[ "$(ls "$folder" | grep -c '^r\.db')" = 1 ] || fail "files are left beside the database: $(ls "$folder")"
[ "$(sqlite3 "$db" 'PRAGMA journal_mode')" = delete ]
before=$(count results)
cells=$(count cell)

# A preview lists, and changes nothing.
models=$(sqlite3 "$db" 'SELECT DISTINCT model FROM suite_cell ORDER BY model')
model=$(head -n 1 <<<"$models")
"$program" forget --db "$db" --model "$model" >"$folder/preview"
grep -q "^quickstart .*$model" "$folder/preview"
grep -q "nothing was changed; --yes forgets them" "$folder/preview"
[ "$(count results)" = "$before" ]

"$program" forget --db "$db" --model "$model" --yes >"$folder/done"
grep -q "were deleted" "$folder/done"
[ "$(count "suite_cell WHERE model = '$model'")" = 0 ]
[ "$(count cell)" -lt "$cells" ]
[ "$(count "sample WHERE cell_id NOT IN (SELECT id FROM cell)")" = 0 ]
status=0
"$program" forget --db "$db" >"$folder/out" 2>&1 || status=$?
[ "$status" = 2 ] && grep -q -- "--suite, --model, --task and --status" "$folder/out"
status=0
"$program" forget --db "$db" --model nobody >"$folder/out" 2>&1 || status=$?
[ "$status" = 2 ] && grep -q "shows no model 'nobody'" "$folder/out"

# Plain SQL takes all of a cell, though sqlite3 knows no foreign keys by default.
sqlite3 "$db" "DELETE FROM cell WHERE id = (SELECT max(id) FROM cell)"
for table in sample metric suite_cell sample_position_loss; do
  [ "$(count "$table WHERE cell_id NOT IN (SELECT id FROM cell)")" = 0 ] || fail "orphans in $table"
done
run || { cat "$folder/err"; exit 1; }
[ "$(count results)" = "$before" ] || fail "the run did not bring all results back"

# Where nothing can be written.
chmod 555 "$folder"
as_reader=()
if [ "$(id -u)" = 0 ]; then
  as_reader=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  if ! "${as_reader[@]}" "$program" --version >/dev/null 2>&1; then
    echo "skipped: no other user can start $program here; reading without write permission is not tried"
    exit 0
  fi
fi
"${as_reader[@]}" "$program" list runs --db "$db" | grep -q quickstart
"${as_reader[@]}" "$program" report --db "$db" --format csv -o "$open/report" >"$open/out"
[ -s "$open/report/results.csv" ]
[ "$("${as_reader[@]}" sqlite3 "$db" 'SELECT count(*) FROM results')" = "$before" ]
echo "one file, read anywhere; $cells cells forgotten and computed again"
