"""Perplexity of token ids with Hugging Face transformers: disjoint windows, float32, on the CPU.

Run by the python that has transformers. Reads a JSON list of ids from standard input and prints one
line of JSON: perplexity, and the CPU seconds of loading and of the evaluation alone."""

import argparse
import json
import math
import os
import resource
import sys

# Read when the libraries load: waiting threads sleep, and OpenBLAS picks the CPU's best kernels.
os.environ["OMP_WAIT_POLICY"] = "passive"
os.environ.pop("OPENBLAS_CORETYPE", None)
import torch  # noqa: E402
import transformers  # noqa: E402

HEAD_ROWS = 512


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def chunked_nll(model, windows: torch.Tensor) -> float:
    """Sum of losses in nats, logits of HEAD_ROWS positions at a time. windows [windows, length]."""
    hidden = model.base_model(input_ids=windows, use_cache=False).last_hidden_state
    hidden = hidden[:, :-1].flatten(0, 1)
    targets = windows[:, 1:].flatten()
    head = model.get_output_embeddings()
    total = 0.0
    for rows, wanted in zip(hidden.split(HEAD_ROWS), targets.split(HEAD_ROWS)):
        total += torch.nn.functional.cross_entropy(head(rows), wanted, reduction="sum").item()
    return total


def labels_nll(model, windows: torch.Tensor) -> float:
    """The same from the model's own loss, a mean over all targets."""
    loss = model(input_ids=windows, labels=windows, use_cache=False).loss
    return loss.item() * windows[:, 1:].numel()


LOSSES = {"chunked": chunked_nll, "labels": labels_nll}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="Hugging Face folder")
    parser.add_argument("--length", type=int, required=True, help="tokens of a window")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--loss", choices=LOSSES, required=True)
    parser.add_argument(
        "--batch-tokens", type=int, default=2048, help="windows up to this go together [%(default)s]"
    )
    arguments = parser.parse_args()
    nll = LOSSES[arguments.loss]

    ids = torch.tensor(json.load(sys.stdin))
    windows = ids[: len(ids) // arguments.length * arguments.length].view(-1, arguments.length)
    torch.set_num_threads(arguments.threads)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        arguments.model, dtype=torch.float32, attn_implementation="sdpa"
    ).eval()
    with torch.inference_mode():
        nll(model, windows[:1, : min(arguments.length, 512)])  # warm up
        ready = cpu_seconds()
        batches = windows.split(max(1, arguments.batch_tokens // arguments.length))
        total = sum(nll(model, batch) for batch in batches)
        evaluation = cpu_seconds() - ready
    figures = {
        "perplexity": math.exp(total / windows[:, 1:].numel()),
        "load_cpu_s": ready,
        "evaluation_cpu_s": evaluation,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
