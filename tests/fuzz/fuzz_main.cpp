// The libFuzzer program of all targets. STRATA_FUZZ_TARGET names the one that runs;
// with STRATA_FUZZ_SEEDS the program writes that target's seeds to the folder and ends.
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "tests/fuzz/fuzz_target.h"

namespace {

std::unique_ptr<strata::test::FuzzTarget> chosenTarget() {
  const char* const name = std::getenv("STRATA_FUZZ_TARGET");
  for (const strata::test::NamedTarget& target : strata::test::fuzzTargets()) {
    if (name != nullptr && target.name == name) return target.make();
    if (name == nullptr) std::cout << target.name << '\n';
  }
  if (name != nullptr) std::cerr << "STRATA_FUZZ_TARGET=" << name << ": there is no such target\n";
  std::exit(name == nullptr ? 0 : 2);
}

strata::test::FuzzTarget& target() {
  static const std::unique_ptr<strata::test::FuzzTarget> kTarget = chosenTarget();
  return *kTarget;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  strata::test::FuzzTarget& chosen = target();
  if (const char* const folder = std::getenv("STRATA_FUZZ_SEEDS")) {
    int number = 0;
    for (const std::string& seed : chosen.seeds()) {
      std::ofstream file(std::string(folder) + "/seed-" + std::to_string(number++));
      file << seed;
    }
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t count) {
  const std::string broken = target().broken({reinterpret_cast<const char*>(data), count});
  if (broken.empty()) return 0;
  std::cerr << "broken promise: " << broken << '\n';
  std::abort();
}
