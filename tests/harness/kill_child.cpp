// A run over fakes that kills itself (SIGKILL, from another thread) after a number of microseconds:
// kill_child DATABASE MICROSECONDS; 0 lets it finish.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "harness/scheduler/run_suite.hpp"
#include "tests/harness/fakes.hpp"

int main(int argc, char** argv) {
  using namespace yardstick::harness;
  if (argc != 3) return 2;
  const long microseconds = std::strtol(argv[2], nullptr, 10);
  if (microseconds > 0) {
    std::thread([microseconds] {
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
      while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
      ::kill(::getpid(), SIGKILL);
    }).detach();
  }
  test::EngineEvents events;
  const test::FakeModels source(events);
  test::FakeSuite suite;
  suite.tasks = {{"t", "samples: 20"}, {"u", "{samples: 9, skipped: 3, nan: 2}"}};
  suite.slots = 2;
  const OpenedSuite opened = open_suite(suite.make(), source, test::make_fake_task);
  RunSettings settings;
  settings.database = argv[1];
  settings.run = {"fakes", "kill_child", "0.1.0", "fake", "{}"};
  settings.chunk = {2, 1'000'000};
  settings.warn = [](const std::string&) {};
  const RunResult result = run_suite(opened, make_plan(opened), settings);
  return result.left == 0 && result.all_failed == 0 ? 0 : 1;
}
