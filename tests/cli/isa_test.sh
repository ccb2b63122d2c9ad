#!/usr/bin/env bash
# The quickstart's numbers are the same, bit for bit, in each instruction set of the machine that has
# fused multiply-adds, and a set that the CPU lacks is refused.
set -euo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if YARDSTICK_ISA=sse9 "$program" run configs/quickstart.yaml --db "$folder/x.db" -o "$folder/x" \
  >"$folder/log" 2>&1; then
  echo "an unknown instruction set was taken"; exit 1
fi
grep -q "YARDSTICK_ISA is 'sse9'; expected portable, avx2, avx2-wide or avx512" "$folder/log" || {
  cat "$folder/log"; exit 1; }

grep -q '^flags.* avx2 ' /proc/cpuinfo || { echo "skipped: this machine has no AVX2"; exit 77; }
levels=(avx2 avx2-wide)  # the second has AVX-512's panels
if grep -q '^flags.* avx512vl ' /proc/cpuinfo; then levels+=(avx512); fi
for level in "${levels[@]}"; do
  YARDSTICK_ISA=$level "$program" run configs/quickstart.yaml --db "$folder/$level.db" \
    -o "$folder/$level" >/dev/null
  sqlite3 "$folder/$level.db" \
    "SELECT model, task, length, depth, metric, printf('%!.17g %!.17g %!.17g', value, ci_low, ci_high)
     FROM results ORDER BY 1, 2, 3, 4, 5" >"$folder/$level.txt"
  cmp "$folder/$level.txt" "$folder/${levels[0]}.txt" || { echo "$level differs"; exit 1; }
done
