"""What every benchmark prints around its figures, and the flags of how it measures."""

import argparse
import os
import pathlib
import sys

BUSY_LOAD = 0.5


def add_measure_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=5, help="runs of each program [%(default)s]")
    parser.add_argument("--busy", action="store_true", help="measure although the machine is not idle")


def begin(title: str, arguments: argparse.Namespace) -> None:
    """Prints title and machine; exits if the machine is busy and --busy was not given."""
    load = os.getloadavg()[0]
    if load > BUSY_LOAD and not arguments.busy:
        sys.exit(
            f"the load average is {load:.2f}; a measurement needs at most {BUSY_LOAD}. "
            "Wait until the machine is idle, or give --busy for a trial whose figures mean nothing"
        )
    cpu = pathlib.Path("/proc/cpuinfo").read_text()
    fields = dict(line.split(":", 1) for line in cpu.split("\n\n")[0].splitlines() if ":" in line)
    fields = {key.strip(): value.strip() for key, value in fields.items()}
    flags = fields.get("flags", "").split()
    vectors = "AVX-512" if "avx512f" in flags else "AVX2" if "avx2" in flags else "no AVX2"
    print(f"## {title}\n")
    print(
        f"{fields.get('model name', 'unknown CPU')}, {vectors}, {os.cpu_count()} cores, "
        f"load average {load:.2f} at the start. Medians of {arguments.repeats} alternated runs.\n",
        flush=True,
    )


def table(header: list[str], rows: list[list[str]]) -> None:
    for row in [header, ["---"] * len(header), *rows]:
        print(f"| {' | '.join(row)} |")
    print(flush=True)


def number_list(text: str) -> list[int]:
    """The type of flags such as --lengths 512,1024."""
    return [int(item) for item in text.split(",")]
