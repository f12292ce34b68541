#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "core/ops/exchange/verify_remote.h"
#include "tests/unit/hub/exchange_fixture.h"

namespace strata::test {

namespace fs = std::filesystem;

/// A full store that was pushed to a remote, and what may become of files there.
class RemoteCare : public ExchangeFixture {
 protected:
  void SetUp() override {
    ours_ = makeFullStore("ours");
    ASSERT_TRUE(push(*ours_, remote_));
  }

  RemoteVerifyReport verify(bool quick = false) {
    auto report = verifyRemote(*ours_, remote_, {.quick = quick}, {}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(RemoteVerifyReport{});
  }

  static void flip(const fs::path& file) {
    std::string bytes = readWhole(file);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    writeWhole(file, bytes);
  }

  /// What each kind of damage does to a file; a check of sizes alone sees the first three.
  static void damage(const fs::path& file, int kind) {
    if (kind == 0) fs::remove(file);
    if (kind == 1) writeWhole(file, "");
    if (kind == 2) writeWhole(file, readWhole(file) + "x");
    if (kind == 3) flip(file);
  }

  fs::path manifestOf(const std::string& reference) const {
    return remotePath(ours_->resolve(reference).value().manifestDigest);
  }

  std::unique_ptr<Store> ours_;
};

}  // namespace strata::test
