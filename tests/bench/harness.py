"""Yardstick's own commands as measured programs."""

import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import sqlite3
import subprocess
import sys

from measure import Output, Program

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass(frozen=True)
class Work:
    """`tokens` tokens of the text in windows of `length`, on `threads` threads."""

    length: int
    tokens: int
    threads: int


def add_program_flag(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--yardstick",
        type=os.path.abspath,
        default=str(REPOSITORY / "build/release/bin/yardstick"),
        help="our program [the release build]",
    )


def add_model_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model", type=os.path.abspath, required=True, help="Hugging Face folder with a tokenizer"
    )
    parser.add_argument("--text", type=os.path.abspath, required=True, help="a text in UTF-8")


def results(output: Output) -> dict[str, float]:
    """Every metric of the database that a run left in its folder, named 'task metric length depth'."""
    file = output.folder / "results/bench.db"
    with contextlib.closing(sqlite3.connect(file)) as database:
        rows = database.execute('SELECT task, metric, "length", depth, value, status FROM results')
        figures = {}
        for task, metric, length, depth, value, status in rows:
            if status != "ok":
                sys.exit(f"yardstick: {task} at {length} tokens is {status}")
            figures[f"{task} {metric} {length} {depth}"] = value
    return figures


def suite_run(
    arguments: argparse.Namespace, file: pathlib.Path, tasks: list[dict], threads: int, *options: str
) -> Program:
    """Writes a suite and returns the whole of `yardstick run` on it, with a database of its own."""
    suite = {
        "name": "bench",
        "devices": [f"cpu:{threads}"],
        # Windows of the text's ids alone: what the peers that are compared with read.
        "models": [{"name": "model", "path": arguments.model, "bos": "never"}],
        "tasks": tasks,
        "report": {"formats": ["md"]},
    }
    file.write_text(json.dumps(suite))  # JSON is YAML
    return Program([arguments.yardstick, "run", str(file), *options], read=results)


def perplexity_task(text: str, lengths: list[int], tokens: int, protocol: str) -> dict:
    return {
        "name": "perplexity",
        "kind": "perplexity",
        "protocol": protocol,
        "lengths": lengths,
        "max_tokens": tokens,
        "data": {"path": text, "format": "text"},
    }


def perplexity_run(arguments: argparse.Namespace, folder: pathlib.Path, work: Work) -> Program:
    """One length of the perplexity task; its figure is `perplexity`."""
    task = perplexity_task(arguments.text, [work.length], work.tokens, "disjoint")
    file = folder / f"{work.length}-{work.tokens}-{work.threads}.yaml"
    program = suite_run(arguments, file, [task], work.threads)

    def read(output: Output) -> dict[str, float]:
        return {"perplexity": results(output)[f"perplexity perplexity {work.length} None"]}

    return dataclasses.replace(program, read=read)


def output_of(command: list[str], stdin: str = "") -> str:
    """Standard output of a command that is not measured."""
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with status {done.returncode}:\n{done.stderr}")
    return done.stdout


def tokenize(arguments: argparse.Namespace, text: str, *options: str) -> list[int]:
    command = [arguments.yardstick, "tokenize", "--tokenizer", arguments.model, *options]
    return json.loads(output_of(command, json.dumps({"text": text}) + "\n"))["ids"]


def text_ids(arguments: argparse.Namespace, tokens: int) -> list[int]:
    """The first `tokens` ids of the text; exits if it has fewer."""
    ids = tokenize(arguments, pathlib.Path(arguments.text).read_text(encoding="utf-8"))
    if len(ids) < tokens:
        sys.exit(f"{arguments.text}: found {len(ids)} tokens, need {tokens}; give a longer text")
    return ids[:tokens]
