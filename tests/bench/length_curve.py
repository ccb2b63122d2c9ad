#!/usr/bin/env python3
"""Wall time of a whole curve of perplexity by length over the same text, loading included: one suite
of ours against one run a length of each peer."""

import argparse
import pathlib
import tempfile

import harness
import page
import peers
from harness import Work
from measure import Program, alternate


def curve_of_peers(arguments: argparse.Namespace, ids: list[int]) -> dict[str, list[Program]]:
    curves: dict[str, list[Program]] = {}
    for length in arguments.lengths:
        work = Work(length, arguments.tokens, arguments.threads)
        runs = peers.llama_peer(arguments, work) | peers.transformers_peers(arguments, ids, work)
        for name, program in runs.items():
            curves.setdefault(name, []).append(program)
    return curves


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    harness.add_program_flag(parser)
    harness.add_model_flags(parser)
    peers.add_peer_flags(parser)
    page.add_measure_flags(parser)
    parser.add_argument(
        "--lengths", type=page.number_list, default="512,1024,2048,4096,8192", help="[%(default)s]"
    )
    parser.add_argument("--tokens", type=int, default=16384, help="of the text [%(default)s]")
    parser.add_argument("--threads", type=int, default=2, help="[%(default)s]")
    parser.add_argument(
        "--protocols", default="nested,disjoint", help="ours, a list [%(default)s]"
    )
    arguments = parser.parse_args()
    page.begin("The whole curve", arguments)
    peers.print_absent(arguments)
    ids = harness.text_ids(arguments, arguments.tokens)
    protocols = arguments.protocols.split(",")
    with tempfile.TemporaryDirectory() as folder:
        curves = {}
        for protocol in protocols:
            task = harness.perplexity_task(
                arguments.text, arguments.lengths, arguments.tokens, protocol
            )
            file = pathlib.Path(folder) / f"{protocol}.yaml"
            program = harness.suite_run(arguments, file, [task], arguments.threads)
            curves[f"yardstick, {protocol}"] = [program]
        runs = alternate(curves | curve_of_peers(arguments, ids), arguments.repeats)
    lengths = ", ".join(map(str, arguments.lengths))
    print(
        f"Lengths {lengths}; {arguments.tokens} tokens at each; {arguments.threads} thread(s); "
        "loading included. 'Ratio' is the row's wall time over ours.\n"
    )
    header = ["program", "wall s", "CPU s", *[f"ratio to {protocol}" for protocol in protocols]]
    rows = [
        [
            name,
            f"{run.wall_s:.1f}",
            f"{run.cpu_s:.1f}",
            *[f"{run.wall_s / runs[f'yardstick, {protocol}'].wall_s:.2f}" for protocol in protocols],
        ]
        for name, run in runs.items()
    ]
    page.table(header, rows)


if __name__ == "__main__":
    main()
