#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t count) {
  static const strata::test::SmallPair kPair;
  strata::test::exerciseManifest(kPair, std::as_bytes(std::span(data, count)));
  return 0;
}
