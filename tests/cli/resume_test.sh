#!/usr/bin/env bash
# A quickstart run that is killed with SIGKILL half-way and started again ends in the same store as an
# uninterrupted one (timings and dates aside), and a third run computes nothing.
set -euo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

run() { "$program" run configs/quickstart.yaml --limit 4 --db "$1" -o "$1.report" >"$folder/out" 2>"$folder/err"; }
# Everything but what differs between two runs of the same thing: times, dates, the run's number.
dump() {
  sqlite3 "$1" "
    SELECT s.suite, s.model, s.task, s.position, c.key, c.length, c.depth, c.variant, c.status, c.message,
           c.planned_samples FROM suite_cell s JOIN cell c ON c.id = s.cell_id ORDER BY s.position;
    SELECT c.key, x.sample_id, x.document_id, x.status, x.\"values\", x.details
      FROM sample x JOIN cell c ON c.id = x.cell_id ORDER BY c.key, x.sample_id;
    SELECT c.key, m.name, m.value, m.stderr, m.ci_low, m.ci_high, m.n
      FROM metric m JOIN cell c ON c.id = m.cell_id ORDER BY c.key, m.name;"
}
samples() { { [ -s "$1" ] && sqlite3 -readonly "$1" 'SELECT count(*) FROM sample' 2>/dev/null; } || echo 0; }

run "$folder/whole.db" || { cat "$folder/err"; exit 1; }
total=$(samples "$folder/whole.db")
[ "$total" -gt 0 ]

run "$folder/killed.db" &
pid=$!
for _ in $(seq 1200); do
  done_samples=$(samples "$folder/killed.db")
  if [ "$done_samples" -ge $((total / 3)) ]; then break; fi
  sleep 0.05
done
pkill -9 -P "$pid" || true
wait "$pid" 2>/dev/null || true
killed=$(samples "$folder/killed.db")
echo "killed after $killed of $total samples"
[ "$killed" -lt "$total" ] || { echo "the run was over before it could be killed"; exit 1; }
[ "$(sqlite3 "$folder/killed.db" 'PRAGMA integrity_check')" = ok ]

run "$folder/killed.db" || { cat "$folder/err"; exit 1; }
diff <(dump "$folder/whole.db") <(dump "$folder/killed.db")
tail -n 1 "$folder/out" | grep -qx "$folder/killed.db.report/report.html"

before=$(sqlite3 "$folder/killed.db" 'SELECT max(finished_at) FROM cell')
run "$folder/killed.db"
[ "$before" = "$(sqlite3 "$folder/killed.db" 'SELECT max(finished_at) FROM cell')" ]
echo "resumed store equals the uninterrupted one: $total samples"
