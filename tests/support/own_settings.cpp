#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/temp_folder.h"

// Linked into a test program, it keeps that from reading and writing the settings of whoever runs
// the tests.
namespace strata::test {
namespace {

class OwnSettings final : public ::testing::Environment {
 public:
  void SetUp() override { ::setenv("XDG_CONFIG_HOME", folder_.path().c_str(), 1); }

 private:
  TempFolder folder_;
};

[[maybe_unused]] const auto* const kRegistered =
    ::testing::AddGlobalTestEnvironment(new OwnSettings);

}  // namespace
}  // namespace strata::test
