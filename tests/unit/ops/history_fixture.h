#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ops/care/verify_store.h"
#include "core/ops/versions/operation_history.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata::test {

/// A base and three versions of one name.
class OperationHistory : public StoreFixture {
 protected:
  OperationHistory() : base_(makeModel(1)) {
    import("base", *base_);
    for (unsigned seed = 10; seed < 13; ++seed) addRun(seed);
  }

  void addRun(unsigned seed, std::vector<std::string> tags = {}) {
    models_.push_back(makeTuned(*base_, seed));
    AddOptions options;
    options.name = "run";
    options.chain = ChainPolicy::Never;
    options.tags = std::move(tags);
    add(*models_.back(), options);
  }

  /// "live:v1,v3(prod) trash:v2"
  std::string state() {
    std::string text;
    for (const Place place : {Place::Live, Place::Trash}) {
      text += place == Place::Live ? "live:" : " trash:";
      const auto versions = store().catalog().versionsOf("run", place);
      for (const VersionEntry& version : *versions) {
        text += fmt::format("v{}", version.number);
        for (const std::string& tag : version.tags) text += "(" + tag + ")";
        text += ' ';
      }
    }
    return text;
  }

  std::string undo(bool again = false, std::optional<std::int64_t> id = {}) {
    const auto done = undoOperation(store(), {.again = again, .id = id});
    return done ? done->operation.kind : "refused: " + done.error().message;
  }
  std::string redo() { return undo(true); }

  std::vector<std::string> history() {
    std::vector<std::string> lines;
    const auto operations = operationHistory(store(), {});
    EXPECT_TRUE(operations) << operations.error().message;
    for (const Operation& one : *operations) {
      lines.push_back(one.kind + " " + one.detail + (one.isUndone ? " (undone)" : ""));
    }
    return lines;
  }

  void damagePackOf(const std::string& reference) {
    const auto objects =
        store().catalog().objectsOf(store().resolve(reference).value().manifestDigest);
    for (const CatalogObject& object : *objects) {
      if (object.isManifest) continue;
      const std::filesystem::path file = store().objects().pathOf(object.digest);
      std::string bytes = readWhole(file);
      bytes[bytes.size() / 2] ^= 1;
      std::filesystem::permissions(file, std::filesystem::perms::owner_write,
                                   std::filesystem::perm_options::add);
      writeWhole(file, bytes);
      return;
    }
  }

  void expectSound() {
    const auto report = verifyStore(store(), {}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    for (const Damage& damage : report->damages) ADD_FAILURE() << damage.reason;
  }

  std::unique_ptr<MemoryModel> base_;
  std::vector<std::unique_ptr<MemoryModel>> models_;
};

}  // namespace strata::test
