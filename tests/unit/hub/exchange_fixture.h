#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/ops/exchange/pull_versions.h"
#include "core/ops/exchange/push_versions.h"
#include "core/store/store.h"
#include "hub/folder/folder_transport.h"
#include "tests/support/memory_model.h"
#include "tests/support/temp_folder.h"

namespace strata::test {

std::vector<std::string> labelsOf(const std::vector<PullReport::Item>& items);
/// With the numbers that the remote has.
std::vector<std::string> labelsOf(const std::vector<PushReport::Item>& items);

/// A list of a remote as earlier programs wrote it: without its number, and with nothing that says
/// what its bytes are.
inline std::string unchecked(const std::string& list) {
  return list.substr(0, list.rfind(",\"number\"")) + "}\n";
}

/// Stores that exchange versions of one base by way of a remote folder.
class ExchangeFixture : public ::testing::Test {
 protected:
  std::unique_ptr<Store> makeStore(const std::string& name) const;
  void importBase(Store& store) const;
  /// The next version of `name`, a difference to the base.
  void add(Store& store, const std::string& name, unsigned seed,
           const std::vector<std::string>& tags = {}) const;
  /// A store with base, sst2:v1, sst2:v2 (prod) and ner:v1.
  std::unique_ptr<Store> makeFullStore(const std::string& name) const;

  static Result<PushReport> push(Store& store, Transport& remote, const PushOptions& options = {}) {
    return pushVersions(store, remote, options, {}, {});
  }
  static Result<PullReport> pull(Store& store, Transport& remote, const PullOptions& options = {}) {
    return pullVersions(store, remote, options, {}, {});
  }
  /// Every version decodes to what was added.
  static void expectSound(const Store& store);

  /// Where the remote folder has an object.
  std::filesystem::path remotePath(const Digest& digest) const;
  /// … and the pack of a version that has one.
  std::filesystem::path onlyPackOf(const Store& store, const std::string& reference) const;

  /// Objects there that are of versions of a store: packs and manifests.
  std::size_t sharedObjects(const Store& store);

  const TempFolder folder_;
  hub::FolderTransport remote_{folder_ / "remote"};

 private:
  const std::unique_ptr<MemoryModel> base_ = makeModel(1);
};

}  // namespace strata::test
