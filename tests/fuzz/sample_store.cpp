#include "tests/fuzz/sample_store.h"

#include <cstdlib>
#include <iostream>

#include "core/ops/versions/add_version.h"
#include "core/ops/versions/import_base.h"
#include "core/ops/versions/remove_versions.h"
#include "tests/support/memory_model.h"

namespace strata::test {
namespace {

template <typename Outcome>
void require(const Outcome& outcome) {
  if (outcome) return;
  std::cerr << "making a store: " << outcome.error().message << '\n';
  std::abort();
}

void add(Store& store, const MemoryModel& base, const std::string& name, unsigned seed,
         std::vector<std::string> tags) {
  AddOptions options{.name = name, .baseChoice = BaseChoice::Reference, .base = "base"};
  options.chain = ChainPolicy::Never;
  options.note = "a note";
  options.tags = std::move(tags);
  options.command = name;  // one entry of the log for all versions of a name
  require(addVersion(store, *makeTuned(base, seed), options, {}, {}));
}

}  // namespace

std::unique_ptr<Store> makeSampleStore(const std::filesystem::path& folder) {
  auto store = Store::create(folder);
  require(store);
  const auto base = makeModel(1, 600);
  require(importBase(**store, *base, {.name = "base"}, {}, {}));
  add(**store, *base, "sst2", 11, {});
  add(**store, *base, "sst2", 12, {"prod"});
  add(**store, *base, "ner", 13, {});
  require(removeVersions(**store, {.references = {"ner"}}));
  return *std::move(store);
}

}  // namespace strata::test
