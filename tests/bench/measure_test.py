"""What `measure` says of children whose time and memory are known beforehand."""

import os
import sys
import unittest

from measure import Program, alternate, measure


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


class MeasureTest(unittest.TestCase):
    def test_sleep_takes_wall_time_and_no_cpu_time(self) -> None:
        run = measure(Program(python("import time; time.sleep(0.5)")))
        self.assertGreaterEqual(run.wall_s, 0.5)
        self.assertLess(run.cpu_s, 0.4)

    def test_cpu_time_of_a_grandchild_counts(self) -> None:
        spin = "import time\nwhile time.process_time() < 0.5: pass"
        run = measure(Program(["sh", "-c", f"{sys.executable} -c '{spin}'; true"]))
        self.assertGreaterEqual(run.cpu_s, 0.5)

    def test_peak_is_the_largest_not_the_last(self) -> None:
        block = measure(Program(python("block = b'x' * (100 << 20); del block"))).peak_mib
        self.assertGreater(block, 100)
        self.assertLess(block, 130)  # with the interpreter
        self.assertLess(measure(Program(python("pass"))).peak_mib, 30)

    def test_runs_alternate_in_fresh_folders_and_give_the_median(self) -> None:
        names: list[str] = []

        def note(name: str, values: list[float]) -> Program:
            def read(output) -> dict[str, float]:
                names.append(name)
                self.assertEqual(output.stdout, "['one']\n")
                self.assertEqual(os.listdir(output.folder), ["one"])
                return {"value": values.pop()}

            return Program(python("import os; open('one', 'w'); print(os.listdir())"), read=read)

        medians = alternate({"a": [note("a", [9, 1, 2])], "b": [note("b", [5, 5, 7])]}, 3)
        self.assertEqual(names, ["a", "b"] * 3)
        self.assertEqual(medians["a"].figures, {"value": 2})
        self.assertEqual(medians["b"].figures, {"value": 5})

    def test_a_failing_program_ends_the_benchmark_with_its_words(self) -> None:
        with self.assertRaisesRegex(SystemExit, "(?s)status 3.*no such luck"):
            measure(Program(python("import sys; sys.stderr.write('no such luck'); sys.exit(3)")))


if __name__ == "__main__":
    unittest.main()
