#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/store/parity/parity_check.h"
#include "core/store/parity/parity_grouping.h"
#include "core/store/parity/parity_rebuild.h"
#include "tests/support/full_disk.h"
#include "tests/support/temp_folder.h"

namespace strata::test {

inline Result<void> always() { return {}; }

/// A folder with objects, as ParityGrouping sees a store.
class Parity : public testing::Test {
 protected:
  Parity() : objects_(place_.path()) {
    for (const char* name : {"objects", "tmp"}) std::filesystem::create_directories(place_ / name);
    set("2/10");
  }

  void set(const std::string& value) {
    test::writeWhole(place_ / "config.toml", "parity = \"" + value + "\"\n");
  }

  Digest add(std::size_t byteCount) {
    std::string bytes(byteCount, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random_());
    auto object = objects_.create();
    EXPECT_TRUE((*object)->append(std::as_bytes(std::span(bytes))));
    const auto digest = (*object)->commit();
    EXPECT_TRUE(digest);
    totalBytes_ += byteCount;
    return *digest;
  }

  std::vector<Digest> addSome(std::size_t count) {
    // Sizes around those that vector units like, and beyond a step of the reader.
    constexpr std::size_t kSizes[] = {1,    1'048'583, 63,  64,  65,      4097,
                                      1000, 31,        200, 127, 262'144, 15};
    std::vector<Digest> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(add(kSizes[i % 12] + i / 12));
    return all;
  }

  ParityGrouping grouping() { return ParityGrouping(place_.path(), objects_, always); }

  void computeAnew() {
    auto one = grouping();
    const auto done = one.computeAnew([](const Digest&) { return true; });
    ASSERT_TRUE(done) << done.error().message;
  }

  ParityState state() {
    auto found = checkParity(place_.path(), objects_, ParityLook::Checksums, {});
    EXPECT_TRUE(found) << found.error().message;
    return *std::move(found);
  }

  ParityRebuilt rebuild(const std::set<Digest>& lost) {
    auto rebuilt = rebuildByParity(place_.path(), objects_, lost, always);
    EXPECT_TRUE(rebuilt) << rebuilt.error().message;
    return *std::move(rebuilt);
  }

  bool isSound(const Digest& digest) {
    const auto file = objects_.open(digest);
    return file && sha256(file->bytes()) == digest;
  }

  std::vector<std::filesystem::path> shardFiles() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place_ / "parity")) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  static void flip(const std::filesystem::path& file, std::uint64_t at) {
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    std::string bytes = test::readWhole(file);
    bytes.at(at) = static_cast<char>(bytes.at(at) ^ 0x20);
    test::writeWhole(file, bytes);
  }

  TempFolder place_;
  ObjectFolder objects_;
  std::mt19937 random_{11};
  std::uint64_t totalBytes_ = 0;
};

}  // namespace strata::test
