#!/usr/bin/env python3
"""Writes the tokens, logits and hidden states of a transformers model in float32 on the CPU, as
`yardstick verify MODEL --against FILE` reads them. Needs torch, transformers and safetensors."""

import argparse
import json

import torch
import transformers
from safetensors.torch import save_file

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("model", help="checkpoint folder")
parser.add_argument("output", help="file to write, .safetensors")
parser.add_argument("--ids", help="JSON file with one array of token ids; random ids without it")
parser.add_argument("--length", type=int, default=150, help="random ids [150]")
parser.add_argument("--attention", help="eager or sdpa [the library's choice]")
arguments = parser.parse_args()

torch.set_grad_enabled(False)
model = transformers.AutoModelForCausalLM.from_pretrained(
    arguments.model, attn_implementation=arguments.attention).float().eval()
if arguments.ids:
    with open(arguments.ids, encoding="utf-8") as file:
        tokens = torch.tensor(json.load(file))
else:
    torch.manual_seed(0)
    tokens = torch.randint(model.get_input_embeddings().num_embeddings, (arguments.length,))
output = model(tokens[None], use_cache=False, output_hidden_states=True)
tensors = {"tokens": tokens, "logits": output.logits[0].contiguous()}
for index, state in enumerate(output.hidden_states):
    tensors[f"hidden_states.{index}"] = state[0].clone()
save_file(tensors, arguments.output)
print(f"{arguments.output}: {len(tokens)} tokens, {len(output.hidden_states)} hidden states, "
      f"attention {model.config._attn_implementation}")
