#include "tests/unit/hub/exchange_fixture.h"

#include <algorithm>

#include "core/ops/care/verify_store.h"
#include "core/ops/versions/add_version.h"
#include "core/ops/versions/import_base.h"

namespace strata::test {

namespace fs = std::filesystem;

std::vector<std::string> labelsOf(const std::vector<PullReport::Item>& items) {
  std::vector<std::string> labels;
  for (const auto& item : items) labels.push_back(item.version.label());
  return labels;
}

std::vector<std::string> labelsOf(const std::vector<PushReport::Item>& items) {
  std::vector<std::string> labels;
  for (const auto& item : items) {
    labels.push_back(item.version.name + ":v" + std::to_string(item.remoteNumber));
  }
  return labels;
}

std::unique_ptr<Store> ExchangeFixture::makeStore(const std::string& name) const {
  return std::move(Store::create(folder_ / name)).value();
}

void ExchangeFixture::importBase(Store& store) const {
  const auto imported = strata::importBase(store, *base_, {.name = "base"}, {}, {});
  ASSERT_TRUE(imported) << imported.error().message;
}

void ExchangeFixture::add(Store& store, const std::string& name, unsigned seed,
                          const std::vector<std::string>& tags) const {
  const auto tuned = makeTuned(*base_, seed);
  AddOptions options;
  options.name = name;
  options.baseChoice = BaseChoice::Reference;
  options.base = "base";
  options.chain = ChainPolicy::Never;
  options.tags = tags;
  const auto added = addVersion(store, *tuned, options, {}, {});
  ASSERT_TRUE(added) << added.error().message;
}

std::unique_ptr<Store> ExchangeFixture::makeFullStore(const std::string& name) const {
  auto store = makeStore(name);
  importBase(*store);
  add(*store, "sst2", 11);
  add(*store, "sst2", 12, {"prod"});
  add(*store, "ner", 13);
  return store;
}

void ExchangeFixture::expectSound(const Store& store) {
  const auto report = verifyStore(store, {.level = VerifyOptions::Level::Rebuild}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  for (const Damage& damage : report->damages) ADD_FAILURE() << damage.reason;
}

std::size_t ExchangeFixture::sharedObjects(const Store& store) {
  const std::vector<StockedObject> all = remote_.listObjects({}).value();
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const auto& object) {
    return store.objects().byteCount(object.digest).has_value();
  }));
}

fs::path ExchangeFixture::remotePath(const Digest& digest) const {
  const std::string hex = toHex(digest);
  return folder_ / "remote" / "objects" / hex.substr(0, 2) / hex;
}

fs::path ExchangeFixture::onlyPackOf(const Store& store, const std::string& reference) const {
  const VersionEntry version = store.resolve(reference).value();
  const auto objects = store.catalog().objectsOf(version.manifestDigest).value();
  for (const CatalogObject& object : objects) {
    if (!object.isManifest) return remotePath(object.digest);
  }
  return {};
}

}  // namespace strata::test
