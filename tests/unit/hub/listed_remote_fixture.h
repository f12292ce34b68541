#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/transfer/ref_pages.h"
#include "hub/folder/folder_transport.h"
#include "hub/generation_lists.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/hub/memory_bucket.h"

namespace strata::hub {

using Refs = std::map<std::string, RefText>;

/// A place for lists, whose files a test may touch: "refs/…" and "pages/…".
class ListedPlace {
 public:
  virtual ~ListedPlace() = default;
  virtual std::unique_ptr<Transport> connect() = 0;
  virtual std::map<std::string, std::string> files() = 0;
  virtual void write(const std::string& name, const std::string& text) = 0;
  virtual void remove(const std::string& name) = 0;
};

class FolderPlace final : public ListedPlace {
 public:
  std::unique_ptr<Transport> connect() override {
    return std::make_unique<FolderTransport>(folder_ / "remote");
  }
  std::map<std::string, std::string> files() override {
    std::map<std::string, std::string> found;
    for (const char* const name : {"refs", "pages"}) {
      const std::filesystem::path place = folder_ / "remote" / name;
      if (!std::filesystem::exists(place)) continue;
      for (const auto& file : std::filesystem::directory_iterator(place)) {
        found.emplace(fmt::format("{}/{}", name, file.path().filename().string()),
                      test::readWhole(file.path()));
      }
    }
    return found;
  }
  void write(const std::string& name, const std::string& text) override {
    test::writeWhole(folder_ / "remote" / name, text);
  }
  void remove(const std::string& name) override {
    std::filesystem::remove(folder_ / "remote" / name);
  }

 private:
  test::TempFolder folder_;
};

class BucketPlace final : public ListedPlace {
 public:
  explicit BucketPlace(bool hasConditions) { bucket_.hasConditions = hasConditions; }
  std::unique_ptr<Transport> connect() override { return bucket_.connect(); }
  std::map<std::string, std::string> files() override {
    std::map<std::string, std::string> found;
    for (const auto& [key, text] : bucket_.keys) {
      if (key.starts_with("refs/") || key.starts_with("pages/")) found.emplace(key, text);
    }
    return found;
  }
  void write(const std::string& name, const std::string& text) override {
    bucket_.keys[name] = text;
  }
  void remove(const std::string& name) override { bucket_.keys.erase(name); }

 private:
  test::MemoryBucket bucket_;
};

struct ListedKind {
  const char* name;
  std::function<std::unique_ptr<ListedPlace>()> make;
};

class ListedRemote : public ::testing::TestWithParam<ListedKind> {
 protected:
  static RefText textOf(const std::string& word) {
    return fmt::format(R"({{"kind":"test","word":"{}"}})", word + std::string(900, 'x'));
  }
  static RefUpdate adding(const std::string& name) { return {name, std::nullopt, textOf(name)}; }

  RefOutcome push(const std::vector<RefUpdate>& updates) {
    const auto outcome = remote_->advanceRefs({updates, "push"}, {});
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome.value_or(RefOutcome::Overtaken);
  }
  /// A list of some pages.
  void fill(int count = 1000) {
    std::vector<RefUpdate> updates;
    for (int i = 0; i < count; ++i) updates.push_back(adding(fmt::format("m{}/v1", i)));
    ASSERT_EQ(push(updates), RefOutcome::Advanced);
  }

  std::set<std::string> names(const std::string& prefix) {
    std::set<std::string> found;
    for (const auto& [name, text] : place_->files()) {
      if (name.starts_with(prefix)) found.insert(name);
    }
    return found;
  }
  /// Those that the list with this name names.
  std::set<std::string> pagesOf(const std::string& list) {
    std::set<std::string> found;
    const auto head = parseRefHead(place_->files().at(list), list);
    EXPECT_TRUE(head) << head.error().message;
    for (const RefPage& page : head->pages) found.insert("pages/" + pageName(page));
    return found;
  }
  std::string newestList() { return *names("refs/").rbegin(); }
  /// What a program sees that knows nothing.
  Refs listed() {
    const auto listing = place_->connect()->readRefs({});
    EXPECT_TRUE(listing) << listing.error().message;
    return listing ? listing->refs : Refs();
  }

  std::unique_ptr<ListedPlace> place_ = GetParam().make();
  std::unique_ptr<Transport> remote_ = place_->connect();
};

/// Each kind of remote that counts its lists.
inline auto listedKinds() {
  return ::testing::Values(
      ListedKind{"Folder", [] { return std::make_unique<FolderPlace>(); }},
      ListedKind{"Bucket", [] { return std::make_unique<BucketPlace>(true); }},
      ListedKind{"BucketWithALock", [] { return std::make_unique<BucketPlace>(false); }});
}

inline std::string nameOf(const ::testing::TestParamInfo<ListedKind>& made) {
  return made.param.name;
}

}  // namespace strata::hub
