#include <cstdlib>

#include "tests/fuzz/model_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t count) {
  static const strata::test::ModelTarget kTarget;
  if (!kTarget.keepsPromises(std::as_bytes(std::span(data, count)))) std::abort();
  return 0;
}
