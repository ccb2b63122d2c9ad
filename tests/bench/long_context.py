#!/usr/bin/env python3
"""Peak memory of the perplexity of one long window, ours and the peers'."""

import argparse
import pathlib
import tempfile

import harness
import page
import peers
from harness import Work
from measure import alternate


def write_long_text(arguments: argparse.Namespace, file: pathlib.Path, tokens: int) -> None:
    """The text, as often as it takes: what memory a window needs does not depend on what it says."""
    text = pathlib.Path(arguments.text).read_text(encoding="utf-8")
    once = len(harness.tokenize(arguments, text))
    file.write_text(text * (tokens // once + 1), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    harness.add_program_flag(parser)
    harness.add_model_flags(parser)
    peers.add_peer_flags(parser)
    page.add_measure_flags(parser)
    parser.add_argument("--lengths", type=page.number_list, default="8192,32768", help="[%(default)s]")
    parser.add_argument("--threads", type=int, default=2, help="[%(default)s]")
    arguments = parser.parse_args()
    page.begin("Memory of a long window", arguments)
    peers.print_absent(arguments)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # llama-perplexity wants a text of two windows, if only to use one.
        needed = 2 * max(arguments.lengths)
        write_long_text(arguments, folder / "text.txt", needed)
        arguments.text = str(folder / "text.txt")
        ids = harness.text_ids(arguments, needed)
        for length in arguments.lengths:
            work = Work(length, length, arguments.threads)
            programs = {"yardstick": harness.perplexity_run(arguments, folder, work)}
            programs |= peers.llama_peer(arguments, work)
            programs |= peers.transformers_peers(arguments, ids, work)
            runs = alternate({name: [run] for name, run in programs.items()}, arguments.repeats)
            peak = runs["yardstick"].peak_mib
            for name, run in runs.items():
                row = [f"{run.peak_mib:.0f}", f"{peak / run.peak_mib:.2f}", f"{run.wall_s:.1f}"]
                rows.append([str(length), name, *row])
    print(
        f"One window, {arguments.threads} thread(s). 'Ratio' is yardstick's peak over the row's.\n"
    )
    page.table(["length", "program", "peak MiB", "ratio", "wall s"], rows)


if __name__ == "__main__":
    main()
