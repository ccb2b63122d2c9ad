"""The other programs, at their best settings, as measured programs."""

import argparse
import json
import os
import pathlib
import re
import shlex
import sys

from harness import Work
from measure import Output, Program

HERE = pathlib.Path(__file__).resolve().parent


def add_peer_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--llama-perplexity",
        default=os.environ.get("LLAMA_PERPLEXITY"),
        metavar="PATH",
        help="llama.cpp's program [$LLAMA_PERPLEXITY; left out without]",
    )
    parser.add_argument(
        "--gguf", type=os.path.abspath, help="the same model, float32 [MODEL/model.gguf]"
    )
    parser.add_argument(
        "--transformers",
        default=os.environ.get("TRANSFORMERS_PYTHON"),
        metavar="COMMAND",
        help="command line of a python that imports transformers and torch, and sees this folder and "
        "the model's under the paths that they have here [$TRANSFORMERS_PYTHON; left out without]",
    )
    parser.add_argument(
        "--losses",
        default="chunked",
        help="transformers' loss: chunked (512 rows of logits at a time), labels (the model's own), "
        "or a list of both [%(default)s]",
    )


def llama_perplexity(arguments: argparse.Namespace, work: Work) -> Program:
    """One window a batch is its fastest up to 2048 tokens (windows that share a batch attend to
    each other under a mask), and batches of 512 beyond."""
    batch = work.length if work.length <= 2048 else 512
    gguf = arguments.gguf or os.path.join(arguments.model, "model.gguf")
    command = [os.path.abspath(arguments.llama_perplexity), "-m", gguf, "-f", arguments.text]
    command += ["-c", str(work.length), "-b", str(batch), "-t", str(work.threads)]
    command += ["--chunks", str(work.tokens // work.length)]
    command += ["-ctk", "f32", "-ctv", "f32"]  # else keys and values are kept in 16 bits

    def read(output: Output) -> dict[str, float]:
        found = re.search(r"Final estimate: PPL = ([0-9.]+)", output.stdout + output.stderr)
        if not found:
            sys.exit(f"{' '.join(command)}\nprinted no 'Final estimate: PPL = ...'")
        return {"perplexity": float(found.group(1))}

    return Program(command, {"OMP_WAIT_POLICY": "passive"}, read=read)


def transformers(
    arguments: argparse.Namespace, ids: list[int], loss: str, work: Work
) -> Program:
    command = shlex.split(arguments.transformers)
    command += [str(HERE / "peer_transformers.py"), arguments.model, "--loss", loss]
    command += ["--length", str(work.length), "--threads", str(work.threads)]
    return Program(
        command,
        stdin=json.dumps(ids[: work.tokens]),
        read=lambda output: json.loads(output.stdout.splitlines()[-1]),
    )


def llama_peer(arguments: argparse.Namespace, work: Work) -> dict[str, Program]:
    """Empty if it was not given."""
    if not arguments.llama_perplexity:
        return {}
    return {"llama-perplexity": llama_perplexity(arguments, work)}


def transformers_peers(
    arguments: argparse.Namespace, ids: list[int], work: Work
) -> dict[str, Program]:
    """One for each way of computing the loss; empty if it was not given."""
    if not arguments.transformers:
        return {}
    losses = arguments.losses.split(",")
    return {f"transformers, {loss}": transformers(arguments, ids, loss, work) for loss in losses}


def print_absent(arguments: argparse.Namespace) -> None:
    for flag in ("llama_perplexity", "transformers"):
        if not getattr(arguments, flag):
            print(f"Left out: {flag.replace('_', '-')} (no --{flag.replace('_', '-')}).\n")
