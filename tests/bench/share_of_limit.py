#!/usr/bin/env python3
"""How much of the CPU's measured peak one window's forward pass uses, in float32 and with bfloat16
weights, and how far bfloat16 moves the perplexity."""

import argparse
import json
import math
import pathlib
import re
import tempfile

import harness
import page
from measure import Output, Program, alternate

DTYPES = ["float32", "bfloat16"]
PROFILE = re.compile(
    r"profile: products ([\d.]+) %, attention ([\d.]+) %, vocabulary ([\d.]+) %, "
    r"everything else ([\d.]+) % of ([\d.]+) thread seconds\s+"
    r"profile: .* needed, ([\d.]+) GFLOP/s a thread, .* of the ([\d.]+) that"
)


def read(output: Output) -> dict[str, float]:
    found = PROFILE.search(output.stderr)
    if not found:
        raise SystemExit(f"yardstick score --profile said no share of the peak:\n{output.stderr}")
    names = ["products", "attention", "vocabulary", "other", "seconds", "gflops", "peak"]
    figures = {name: float(value) for name, value in zip(names, found.groups(), strict=True)}
    losses = [json.loads(line) for line in output.stdout.splitlines()]
    mean = sum(line["sum_nll"] for line in losses) / sum(line["scored"] for line in losses)
    # A ratio within one run: both sides had the same neighbours on the machine.
    return figures | {"share": figures["gflops"] / figures["peak"], "perplexity": math.exp(mean)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    harness.add_program_flag(parser)
    harness.add_model_flags(parser)
    page.add_measure_flags(parser)
    parser.add_argument("--lengths", type=page.number_list, default="2048,8192", help="[%(default)s]")
    parser.add_argument("--windows", type=int, default=1, help="of each length [%(default)s]")
    parser.add_argument("--threads", type=int, default=1, help="[%(default)s]")
    arguments = parser.parse_args()
    page.begin("Share of the limit", arguments)
    ids = harness.text_ids(arguments, max(arguments.lengths) * arguments.windows)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for length in arguments.lengths:
            file = pathlib.Path(name) / "windows.json"
            file.write_text(
                json.dumps([ids[i * length : (i + 1) * length] for i in range(arguments.windows)])
            )
            command = [arguments.yardstick, "score", "--model", arguments.model, "--profile"]
            command += ["--tokens", str(file), "--threads", str(arguments.threads), "--dtype"]
            runs = alternate(
                {dtype: [Program([*command, dtype], read=read)] for dtype in DTYPES},
                arguments.repeats,
            )
            exact = runs["float32"].figures["perplexity"]
            for dtype, run in runs.items():
                figures = run.figures
                parts = [figures[part] for part in ["products", "attention", "vocabulary", "other"]]
                rows.append(
                    [
                        str(length),
                        dtype,
                        f"{length * arguments.windows / figures['seconds']:.0f}",
                        *[f"{part:.0f} %" for part in parts],
                        f"{figures['gflops']:.1f}",
                        f"{100 * figures['share']:.0f} %",
                        f"{figures['perplexity']:.5f}",
                        f"{figures['perplexity'] / exact - 1:.1e}",
                    ]
                )
    print(
        f"{arguments.windows} window(s), {arguments.threads} thread(s), without loading. 'Of the peak' "
        "is FLOPs needed over thread seconds and the peak that the same process measures.\n"
    )
    header = ["length", "weights", "tokens / thread-s", "products", "attention", "vocabulary", "else"]
    header += ["GFLOP/s", "of the peak", "perplexity", "relative difference"]
    page.table(header, rows)


if __name__ == "__main__":
    main()
