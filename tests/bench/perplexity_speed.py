#!/usr/bin/env python3
"""Perplexity of the same tokens at several window lengths: tokens per CPU second, peak memory, and
whether all programs find the same number."""

import argparse
import json
import math
import pathlib
import tempfile

import harness
import page
import peers
from harness import Work
from measure import Program, Run, alternate

# The least that each program can be asked; what that takes is loading.
LEAST_TOKENS = 32


def llama_protocol_perplexity(arguments: argparse.Namespace, ids: list[int], length: int) -> float:
    """What llama-perplexity has to print, from our loss of every token: the stream begins with BOS,
    BOS replaces the first token of each window, and the second half of a window is scored."""
    bos = harness.tokenize(arguments, "", "--add-special-tokens")
    stream = bos + ids
    starts = range(0, arguments.tokens // length * length, length)
    windows = [stream[start : start + length] for start in starts]
    windows = [bos + window[len(bos) :] for window in windows]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "windows.json"
        file.write_text(json.dumps(windows))
        command = [arguments.yardstick, "score", "--model", arguments.model, "--tokens", str(file)]
        lines = harness.output_of(command).splitlines()
    # Element i of "nll" is the loss of token i + 1.
    losses = [loss for line in lines for loss in json.loads(line)["nll"][length // 2 :]]
    return math.exp(sum(losses) / len(losses))


def evaluation_cpu_s(name: str, run: Run, least: dict[str, Run]) -> float:
    """CPU time without loading: measured by the program itself, else against its least run."""
    if "evaluation_cpu_s" in run.figures:
        return run.figures["evaluation_cpu_s"]
    return run.cpu_s - least[name].cpu_s


def speed_table(
    arguments: argparse.Namespace, folder: pathlib.Path, ids: list[int], threads: int
) -> dict[tuple[int, str], float]:
    """Prints the table for a number of threads; returns perplexities by (length, program)."""

    def whole_only(work: Work) -> dict[str, list[Program]]:
        programs = {"yardstick": harness.perplexity_run(arguments, folder, work)}
        programs |= peers.llama_peer(arguments, work)
        return {name: [program] for name, program in programs.items()}

    least = alternate(whole_only(Work(LEAST_TOKENS, LEAST_TOKENS, threads)), arguments.repeats)
    rows = []
    perplexities = {}
    for length in arguments.lengths:
        work = Work(length, arguments.tokens, threads)
        others = peers.transformers_peers(arguments, ids, work)
        programs = whole_only(work) | {name: [program] for name, program in others.items()}
        runs = alternate(programs, arguments.repeats)
        ours = runs["yardstick"]
        ours_alone = evaluation_cpu_s("yardstick", ours, least)
        for name, run in runs.items():
            alone = evaluation_cpu_s(name, run, least)
            rows.append(
                [
                    str(length),
                    name,
                    f"{arguments.tokens / run.cpu_s:.0f}",
                    f"{run.cpu_s / ours.cpu_s:.2f}",
                    f"{arguments.tokens / alone:.0f}",
                    f"{alone / ours_alone:.2f}",
                    f"{run.wall_s:.1f}",
                    f"{run.peak_mib:.0f}",
                ]
            )
            perplexities[length, name] = run.figures["perplexity"]
    print(
        f"{threads} thread(s), {arguments.tokens} tokens. Without loading: transformers measures its "
        "evaluation alone, after a warm-up; of the others, the CPU time of the same command over "
        f"{LEAST_TOKENS} tokens is taken off. 'Ratio' is yardstick's speed over the row's.\n"
    )
    header = ["length", "program", "tokens / CPU-s, with loading", "ratio"]
    header += ["tokens / CPU-s, without loading", "ratio", "wall s, with loading", "peak MiB"]
    page.table(header, rows)
    return perplexities


def equality_table(
    arguments: argparse.Namespace, ids: list[int], perplexities: dict[tuple[int, str], float]
) -> None:
    rows = []
    for (length, name), theirs in perplexities.items():
        if name == "yardstick":
            continue
        protocol = "llama.cpp's" if name == "llama-perplexity" else "disjoint"
        ours = perplexities[length, "yardstick"]
        if name == "llama-perplexity":
            ours = llama_protocol_perplexity(arguments, ids, length)
        difference = abs(ours / theirs - 1)
        rows.append(
            [str(length), name, protocol, f"{theirs:.4f}", f"{ours:.4f}", f"{difference:.1e}"]
        )
    if rows:
        print("Perplexity under the peer's protocol:\n")
        page.table(["length", "peer", "protocol", "peer", "yardstick", "relative difference"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    harness.add_program_flag(parser)
    harness.add_model_flags(parser)
    peers.add_peer_flags(parser)
    page.add_measure_flags(parser)
    parser.add_argument(
        "--lengths", type=page.number_list, default="512,1024,2048,8192", help="[%(default)s]"
    )
    parser.add_argument("--tokens", type=int, default=16384, help="of the text [%(default)s]")
    parser.add_argument("--threads", type=page.number_list, default="1,2", help="[%(default)s]")
    arguments = parser.parse_args()
    for length in arguments.lengths:
        if arguments.tokens % length:
            parser.error(f"--tokens {arguments.tokens} is no whole number of windows of {length}")
    page.begin("Perplexity", arguments)
    peers.print_absent(arguments)
    ids = harness.text_ids(arguments, arguments.tokens)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tables = [speed_table(arguments, folder, ids, threads) for threads in arguments.threads]
    equality_table(arguments, ids, tables[0])


if __name__ == "__main__":
    main()
