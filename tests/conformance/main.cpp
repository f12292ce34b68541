#include <gtest/gtest.h>

#include <cstdio>
#include <string_view>

#include "tests/conformance/codec_cases.h"
#include "tests/support/lossy_samples.h"

/// With --payload-digest, prints what EveryKernelSet asks another process for; with --write-lossy
/// FOLDER, writes samples for the second reader; else runs the tests.
int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--payload-digest") {
    std::puts(strata::test::payloadDigest().c_str());
    return 0;
  }
  if (argc == 3 && std::string_view(argv[1]) == "--write-lossy") {
    return strata::test::writeLossySamples(argv[2]) ? 0 : 1;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
