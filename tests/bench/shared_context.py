#!/usr/bin/env python3
"""What computing each shared prefix once saves: the same suites with and without --no-sharing.

Two suites: questions of four choices, each over a long context of its own, and a pass-key grid of
depths by lengths."""

import argparse
import json
import pathlib
import tempfile

import harness
import page
from measure import Program, alternate

CHOICES = 4
CHOICE_TOKENS = 12


def write_questions(arguments: argparse.Namespace, file: pathlib.Path) -> None:
    """Each question is a passage of the text; its choices are what follows and three later snippets."""
    window = arguments.context + CHOICES * CHOICE_TOKENS
    ids = harness.text_ids(arguments, arguments.questions * window)
    parts = []
    for first in range(0, len(ids), window):
        parts.append(ids[first : first + arguments.context])
        for choice in range(first + arguments.context, first + window, CHOICE_TOKENS):
            parts.append(ids[choice : choice + CHOICE_TOKENS])
    command = [arguments.yardstick, "tokenize", "--tokenizer", arguments.model, "--decode"]
    stdin = "".join(json.dumps({"ids": part}) + "\n" for part in parts)
    texts = [
        json.loads(line)["text"] for line in harness.output_of(command, stdin).splitlines()
    ]
    with file.open("w", encoding="utf-8") as lines:
        for first in range(0, len(texts), 1 + CHOICES):
            context, *choices = texts[first : first + 1 + CHOICES]
            lines.write(json.dumps({"context": context, "choices": choices, "answer": 0}) + "\n")


def choice_task(arguments: argparse.Namespace, folder: pathlib.Path) -> tuple[str, dict]:
    """Title and task."""
    file = folder / "questions.jsonl"
    write_questions(arguments, file)
    task = {
        "name": "choice",
        "kind": "multiple_choice",
        "data": {"path": str(file)},
        "prompt": "{{context}}",
        "choices": "{{choices}}",
        "answer": "{{answer}}",
        # Token borders at the end of the context are then the same for every choice.
        "boundary": "separate",
    }
    title = f"{arguments.questions} questions of {CHOICES} choices over {arguments.context} tokens"
    return title, task


def grid_task(arguments: argparse.Namespace, folder: pathlib.Path) -> tuple[str, dict]:
    """Title and task."""
    del folder
    task = {
        "name": "passkey",
        "kind": "passkey",
        "placement": "grid",
        "depths": arguments.depths,
        "samples": arguments.samples,
        "lengths": arguments.lengths,
    }
    return f"pass-key grid, {arguments.depths} depths x {len(arguments.lengths)} lengths", task


SUITES = {"choice": choice_task, "grid": grid_task}


def largest_difference(a: dict[str, float], b: dict[str, float]) -> float:
    return max(abs(a[name] - b[name]) for name in a)


def compare(
    arguments: argparse.Namespace, title: str, file: pathlib.Path, task: dict
) -> list[list[str]]:
    shared = harness.suite_run(arguments, file, [task], arguments.threads)
    command = [*shared.command, "--no-sharing"]
    alone = Program(command, read=shared.read)
    runs = alternate({"shared": [shared], "alone": [alone]}, arguments.repeats)
    ours, without = runs["shared"], runs["alone"]
    difference = largest_difference(ours.figures, without.figures)
    return [
        [title, "with", f"{ours.wall_s:.1f}", f"{ours.cpu_s:.1f}", "", "", ""],
        [
            title,
            "without",
            f"{without.wall_s:.1f}",
            f"{without.cpu_s:.1f}",
            f"{without.wall_s / ours.wall_s:.2f}",
            f"{without.cpu_s / ours.cpu_s:.2f}",
            f"{difference:.1e}",
        ],
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    harness.add_program_flag(parser)
    harness.add_model_flags(parser)
    page.add_measure_flags(parser)
    parser.add_argument("--threads", type=int, default=2, help="[%(default)s]")
    parser.add_argument("--suites", default="choice,grid", help="which, a list [%(default)s]")
    parser.add_argument("--context", type=int, default=8000, help="tokens of it [%(default)s]")
    parser.add_argument("--questions", type=int, default=2, help="[%(default)s]")
    parser.add_argument("--depths", type=int, default=10, help="of the grid [%(default)s]")
    parser.add_argument("--samples", type=int, default=1, help="of each cell of the grid [%(default)s]")
    parser.add_argument(
        "--lengths",
        type=page.number_list,
        default="512,1024,2048,4096,8192,16384",
        help="[%(default)s]",
    )
    arguments = parser.parse_args()
    suites = arguments.suites.split(",")
    for suite in suites:
        if suite not in SUITES:
            parser.error(f"--suites: '{suite}' is none; there are {', '.join(SUITES)}")
    page.begin("Shared prefixes", arguments)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for suite in suites:
            title, task = SUITES[suite](arguments, folder)
            rows += compare(arguments, title, folder / f"{suite}.yaml", task)
    header = ["suite", "sharing", "wall s", "CPU s", "wall ratio", "CPU ratio"]
    page.table([*header, "largest difference of any metric"], rows)


if __name__ == "__main__":
    main()
