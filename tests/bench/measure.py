"""Runs programs one after another and measures each: wall time, CPU time, peak memory."""

import dataclasses
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Output:
    """What a program left: the folder that it ran in, and what it printed."""

    folder: pathlib.Path
    stdout: str
    stderr: str


@dataclasses.dataclass(frozen=True)
class Program:
    """A command line, and how its figures are read from its output."""

    command: list[str]
    environment: dict[str, str] = dataclasses.field(default_factory=dict)
    stdin: str = ""
    read: Callable[[Output], dict[str, float]] = lambda output: {}


@dataclasses.dataclass(frozen=True)
class Run:
    wall_s: float
    cpu_s: float  # user + system, all threads
    peak_mib: float  # largest resident set
    figures: dict[str, float]


def measure(program: Program) -> Run:
    """Runs the program in a fresh, empty folder. Exits with its last words if it fails."""
    # OpenBLAS that was told to do without the CPU's newest instructions is no fair peer.
    environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_CORETYPE"}
    environment |= program.environment
    with tempfile.TemporaryDirectory(prefix="yardstick-bench-") as name:
        folder = pathlib.Path(name)
        with (
            tempfile.TemporaryFile("w+") as stdin,
            tempfile.TemporaryFile("w+") as stdout,
            tempfile.TemporaryFile("w+", errors="replace") as stderr,
        ):
            stdin.write(program.stdin)
            stdin.seek(0)
            start = time.perf_counter()
            # The peak that the kernel reports includes this process at the moment of exec: stay small.
            child = subprocess.Popen(
                program.command, cwd=folder, env=environment, stdin=stdin, stdout=stdout, stderr=stderr
            )
            _, status, usage = os.wait4(child.pid, 0)
            wall = time.perf_counter() - start
            child.returncode = os.waitstatus_to_exitcode(status)
            stdout.seek(0)
            stderr.seek(0)
            output = Output(folder, stdout.read(), stderr.read())
            if child.returncode != 0:
                words = "\n".join(output.stderr.splitlines()[-10:])
                command = " ".join(program.command)
                sys.exit(f"{command}\nended with status {child.returncode}:\n{words}")
            figures = program.read(output)
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, figures)


def measure_all(programs: list[Program]) -> Run:
    """The programs after one another as one run: sums of times, the largest peak; of figures with the
    same name the last program's."""
    runs = [measure(program) for program in programs]
    figures = {name: value for run in runs for name, value in run.figures.items()}
    return Run(
        sum(run.wall_s for run in runs),
        sum(run.cpu_s for run in runs),
        max(run.peak_mib for run in runs),
        figures,
    )


def median(runs: list[Run]) -> Run:
    """The median of each figure by itself."""
    return Run(
        statistics.median(run.wall_s for run in runs),
        statistics.median(run.cpu_s for run in runs),
        statistics.median(run.peak_mib for run in runs),
        {name: statistics.median(run.figures[name] for run in runs) for name in runs[0].figures},
    )


def alternate(contestants: dict[str, list[Program]], repeats: int) -> dict[str, Run]:
    """Medians of A B C A B C ..., so that a slow minute of the machine hits all of them."""
    runs: dict[str, list[Run]] = {name: [] for name in contestants}
    for repeat in range(repeats):
        for name, programs in contestants.items():
            run = measure_all(programs)
            print(f"  {repeat + 1}/{repeats} {name}: {run.wall_s:.1f} s", file=sys.stderr)
            runs[name].append(run)
    return {name: median(measured) for name, measured in runs.items()}
