#!/usr/bin/env python3
"""How long the prompts of a pass-key task take to build, by `yardstick plan`, which builds every
prompt, cuts the calls of the engine and counts their tokens, but computes nothing."""

import argparse
import pathlib
import tempfile

import harness
import page
from measure import Program, alternate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    harness.add_program_flag(parser)
    page.add_measure_flags(parser)
    parser.add_argument("--model", required=True, help="folder with a model and a tokenizer")
    parser.add_argument("--samples", type=int, default=1000, help="[%(default)s]")
    parser.add_argument("--length", type=int, default=32768, help="tokens of each [%(default)s]")
    arguments = parser.parse_args()
    arguments.model = str(pathlib.Path(arguments.model).absolute())
    page.begin("Building prompts", arguments)
    task = {
        "name": "passkey",
        "kind": "passkey",
        "placement": "uniform",
        "samples": arguments.samples,
        "lengths": [arguments.length],
    }
    with tempfile.TemporaryDirectory() as name:
        run = harness.suite_run(arguments, pathlib.Path(name) / "suite.yaml", [task], 1)
        plan = Program([run.command[0], "plan", *run.command[2:]])
        done = alternate({"plan": [plan]}, arguments.repeats)["plan"]
    header = ["prompts", "tokens each", "wall s", "CPU s", "peak MiB"]
    row = [str(arguments.samples), str(arguments.length)]
    row += [f"{done.wall_s:.1f}", f"{done.cpu_s:.1f}", f"{done.peak_mib:.0f}"]
    page.table(header, [row])


if __name__ == "__main__":
    main()
