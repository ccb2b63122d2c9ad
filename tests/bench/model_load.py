#!/usr/bin/env python3
"""How long a checkpoint of about 1 GB takes until it is ready, from a warm page cache, and at what
peak memory: `score` on two tokens, against the same on a tiny model."""

import argparse
import json
import pathlib
import random
import struct
import tempfile

import harness
import page
from measure import Program, alternate

BLOCK_FLOATS = 1 << 20
# The top byte of a float32 of magnitude 2^-7 to 2^-5; the bit below it and the mantissa stay random.
TOP_BYTE = bytes(0x3C | (byte & 0x80) for byte in range(256))


def llama_shapes(config: dict) -> dict[str, list[int]]:
    width, inner, words = (config[k] for k in ("hidden_size", "intermediate_size", "vocab_size"))
    shapes = {"model.embed_tokens.weight": [words, width]}
    for layer in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{layer}."
        for norm in ("input_layernorm", "post_attention_layernorm"):
            shapes[f"{prefix}{norm}.weight"] = [width]
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            shapes[f"{prefix}self_attn.{name}.weight"] = [width, width]
        for name in ("gate_proj", "up_proj"):
            shapes[f"{prefix}mlp.{name}.weight"] = [inner, width]
        shapes[f"{prefix}mlp.down_proj.weight"] = [width, inner]
    shapes["model.norm.weight"] = [width]
    shapes["lm_head.weight"] = [words, width]
    return shapes


def write_model(folder: pathlib.Path, width: int, layers: int) -> int:
    """A LLaMA with random float32 weights; returns the bytes of its weight file."""
    folder.mkdir()
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": width,
        "intermediate_size": 4 * width,
        "num_hidden_layers": layers,
        "num_attention_heads": width // 64,
        "num_key_value_heads": width // 64,
        "head_dim": 64,
        "hidden_act": "silu",
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "max_position_embeddings": 2048,
        "vocab_size": 8192,
        "tie_word_embeddings": False,
        "torch_dtype": "float32",
    }
    (folder / "config.json").write_text(json.dumps(config))
    header = {}
    end = 0
    for name, shape in llama_shapes(config).items():
        begin, end = end, end + 4 * shape[0] * (shape[1] if len(shape) > 1 else 1)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    generator = random.Random(0)
    with (folder / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for first in range(0, end, 4 * BLOCK_FLOATS):
            block = bytearray(generator.randbytes(min(4 * BLOCK_FLOATS, end - first)))
            block[3::4] = block[3::4].translate(TOP_BYTE)
            file.write(block)
        return file.tell()


def warm(file: pathlib.Path) -> None:
    with file.open("rb") as weights:
        while weights.read(1 << 22):
            pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    harness.add_program_flag(parser)
    page.add_measure_flags(parser)
    parser.add_argument("--width", type=int, default=1024, help="of the large model [%(default)s]")
    parser.add_argument("--layers", type=int, default=15, help="of the large model [%(default)s]")
    arguments = parser.parse_args()
    page.begin("Loading", arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "ids.json").write_text("[1, 2]")
        sizes = {
            "tiny": write_model(folder / "tiny", width=64, layers=1),
            "large": write_model(folder / "large", arguments.width, arguments.layers),
        }
        command = [arguments.yardstick, "score", "--tokens", str(folder / "ids.json"), "--model"]
        programs = {}
        for model in sizes:
            warm(folder / model / "model.safetensors")
            programs[model] = [Program([*command, str(folder / model)])]
        runs = alternate(programs, arguments.repeats)
    rows = []
    for model, run in runs.items():
        size_mib = sizes[model] / 2**20
        added = run.wall_s - runs["tiny"].wall_s
        ratio = f"{run.peak_mib / size_mib:.2f}"
        rows.append([model, f"{size_mib:.0f}", f"{run.wall_s:.2f}", f"{added:.2f}"])
        rows[-1] += [f"{run.cpu_s:.2f}", f"{run.peak_mib:.0f}", ratio if model == "large" else ""]
    print("Wall time until two tokens are scored, from a warm page cache.\n")
    header = ["model", "file MiB", "wall s", "more than tiny, s", "CPU s", "peak MiB", "peak / file"]
    page.table(header, rows)


if __name__ == "__main__":
    main()
