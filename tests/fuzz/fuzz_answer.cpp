#include <cstdlib>

#include "tests/fuzz/answer_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t count) {
  const std::string_view text(reinterpret_cast<const char*>(data), count);
  if (!strata::test::readsAnswer(text)) std::abort();
  return 0;
}
