#!/usr/bin/env bash
# Broken suites end with exit status 2 and one line that names file, line and column.
set -euo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

refused() { # refused TEXT EXPECTED: the suite TEXT is refused with a message that holds EXPECTED
  printf '%s' "$1" >"$folder/suite.yaml"
  set +e
  "$program" run "$folder/suite.yaml" --db "$folder/x.db" >"$folder/out" 2>"$folder/err"
  local status=$?
  set -e
  if [ $status -ne 2 ] || ! grep -qF -- "$2" "$folder/err"; then
    echo "expected status 2 and '$2', got $status and: $(cat "$folder/err")"
    exit 1
  fi
}

refused $'name: x\nmodles: []\n' "suite.yaml:2:1"
refused $'name: x\nmodles: []\n' "did you mean 'models'?"
refused $'name: x\nname: y\n' "stands twice"
refused $'name: [1, 2\n' "suite.yaml:"
refused $'name: x\nmodels: [{name: m, path: no/such/folder}]\ntasks: [{name: t, kind: passkey}]\nlengths: [128]\n' "no/such/folder"
refused $'name: x\nlengths: [4x]\nmodels: []\ntasks: []\n' "lengths"

set +e
"$program" run "$folder/absent.yaml" 2>"$folder/err"
[ $? -eq 2 ] || exit 1
"$program" reprot >/dev/null 2>"$folder/err"
[ $? -eq 2 ] && grep -qF "did you mean 'report'?" "$folder/err" || exit 1
"$program" run configs/quickstart.yaml --limit 0 >/dev/null 2>"$folder/err"
[ $? -eq 2 ] && grep -qF "expected a whole number from 1" "$folder/err" || exit 1
"$program" report --db "$folder/absent.db" 2>"$folder/err"
[ $? -eq 2 ] || exit 1
set -e
grep -qF "absent.db" "$folder/err"
echo "every broken input was refused"
