#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/ops/versions/add_version.h"
#include "core/ops/versions/restore_version.h"
#include "core/store/store.h"
#include "tests/support/memory_model.h"
#include "tests/support/temp_folder.h"

namespace strata::test {

/// A store in a folder of its own, and the operations with a test failure where they must not fail.
class StoreFixture : public ::testing::Test {
 protected:
  StoreFixture();

  std::filesystem::path storeFolder() const { return folder_ / "store"; }
  Store& store() { return *store_; }
  /// Closes the store and opens it again.
  void reopen();

  /// A base without a parent.
  AddReport import(const std::string& name, const ModelSource& model);
  /// A version against `base`; against what the store chooses if that is empty.
  AddReport add(const std::string& name, const ModelSource& model, const std::string& base = {});
  AddReport add(const ModelSource& model, AddOptions options);

  /// Whether a one-file version comes back as the model that went in.
  ::testing::AssertionResult comesBack(const std::string& reference, const MemoryModel& model);

  /// Of all objects.
  std::uint64_t bytesOnDisk();

  const TempFolder folder_;
  std::unique_ptr<Store> store_;
};

/// The bytes of a one-file version, or the error.
Result<std::string> restoredBytes(const Store& store, const std::string& reference);

}  // namespace strata::test
