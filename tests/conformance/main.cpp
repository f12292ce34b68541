#include <gtest/gtest.h>

#include <cstdio>
#include <string_view>

#include "tests/conformance/codec_cases.h"

/// With --payload-digest, prints what EveryKernelSet asks another process for; else runs the tests.
int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--payload-digest") {
    std::puts(strata::test::payloadDigest().c_str());
    return 0;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
