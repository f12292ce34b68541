#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t count) {
  strata::test::exercisePayload(std::as_bytes(std::span(data, count)));
  return 0;
}
