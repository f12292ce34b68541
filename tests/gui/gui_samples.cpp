#include "tests/gui/gui_samples.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/ops/exchange/push_versions.h"
#include "core/ops/inspect/show_version.h"
#include "hub/bundle/bundle_transport.h"

namespace strata::test {
namespace {

Digest digestOf(const std::string& words) {
  return sha256(std::as_bytes(std::span(words.data(), words.size())));
}

/// A safetensors file of two float tensors.
std::string safetensors(const std::string& a, const std::string& b) {
  nlohmann::ordered_json header;
  header["body.0.weight"] = {
      {"dtype", "F32"}, {"shape", {a.size() / 4 / 64, 64}}, {"data_offsets", {0, a.size()}}};
  header["head.weight"] = {{"dtype", "F32"},
                           {"shape", {b.size() / 4 / 64, 64}},
                           {"data_offsets", {a.size(), a.size() + b.size()}}};
  std::string text = header.dump();
  while (text.size() % 8 != 0) text += ' ';
  std::uint64_t size = text.size();
  std::string file(reinterpret_cast<const char*>(&size), 8);
  return file + text + a + b;
}

}  // namespace

ListRow makeRow(const std::string& name, std::uint32_t number, const std::string& base) {
  ListRow row;
  row.version.name = name;
  row.version.number = number;
  row.version.contentDigest = digestOf(row.version.label());
  row.version.format = "safetensors";
  row.version.profile = "exact";
  row.version.addedAt = 1'700'000'000 + number * 3600;
  row.version.originalBytes = 1'000'000;
  row.version.storedBytes = base.empty() ? 800'000 : 10'000 * number;
  row.version.fileCount = 1;
  row.version.tensorCount = 8;
  row.version.relativeChange = base.empty() ? 0 : 0.01 * number;
  if (!base.empty()) {
    row.version.changedTensors = row.version.tensorCount;
    row.version.parentDigest = digestOf(base);
    row.parentLabel = base;
    row.baseLabel = base;
  }
  return row;
}

gui::SnapshotPtr makeSnapshot(std::vector<ListRow> rows) {
  auto snapshot = std::make_shared<gui::StoreSnapshot>();
  for (ListRow& row : rows) {
    row.versionCount = static_cast<std::uint32_t>(std::count_if(
        rows.begin(), rows.end(),
        [&](const ListRow& other) { return other.version.name == row.version.name; }));
    (row.version.isBase() ? snapshot->totals.baseCount : snapshot->totals.versionCount) += 1;
    snapshot->totals.originalBytes += row.version.originalBytes;
    snapshot->totals.objectBytes += row.version.storedBytes;
  }
  snapshot->rows = std::move(rows);
  return snapshot;
}

gui::SnapshotPtr makeLibrary(int names, int versions) {
  auto snapshot = std::make_shared<gui::StoreSnapshot>();
  snapshot->rows = {makeRow("base", 1), makeRow("other", 1)};
  for (int i = 0; i < names; ++i) {
    for (int v = 1; v <= versions; ++v) {
      ListRow row = makeRow("tuned-" + std::to_string(i), static_cast<std::uint32_t>(v), "base:v1");
      row.versionCount = static_cast<std::uint32_t>(versions);
      snapshot->rows.push_back(std::move(row));
    }
  }
  return snapshot;
}

std::string writeModel(const TempFolder& folder, const std::string& name, unsigned seed) {
  const std::string path = (folder / name).string();
  writeWhole(path, safetensors(randomFloats(64 * 64, seed), randomFloats(8 * 64, seed + 1)));
  return path;
}

std::string writeTuned(const TempFolder& folder, const std::string& name, unsigned seed,
                       unsigned change) {
  const std::string path = (folder / name).string();
  writeWhole(path, safetensors(tunedFloats(randomFloats(64 * 64, seed), 0.5, change),
                               tunedFloats(randomFloats(8 * 64, seed + 1), 0.5, change)));
  return path;
}

StoreSample::StoreSample() : base_(makeModel(7)) {
  auto store = Store::create(path());
  EXPECT_TRUE(store) << store.error().message;
  AddOptions options;
  options.name = "base";
  options.baseChoice = BaseChoice::None;
  EXPECT_TRUE(addVersion(**store, *base_, options, {}, {}));
  add("tuned", 1);
  add("tuned", 2);
}

AddReport StoreSample::add(const std::string& name, unsigned change) const {
  auto store = Store::open(path());
  EXPECT_TRUE(store);
  AddOptions options;
  options.name = name;
  options.baseChoice = BaseChoice::Reference;
  options.base = "base";
  auto report = addVersion(**store, *makeTuned(*base_, change), options, {}, {});
  EXPECT_TRUE(report) << report.error().message;
  return *report;
}

std::string StoreSample::share() const {
  std::filesystem::create_directories(folder_ / "share");
  return "file://" + (folder_ / "share").string();
}

void StoreSample::damage(const std::string& reference) const {
  auto store = Store::open(path());
  ASSERT_TRUE(store);
  const auto shown = showVersion(**store, {.reference = reference});
  ASSERT_TRUE(shown);
  ASSERT_FALSE(shown->packs.empty());
  const std::string hex = toHex(shown->packs.front());
  const auto file = path() / "objects" / hex.substr(0, 2) / hex.substr(2);
  std::string bytes = readWhole(file);
  ASSERT_FALSE(bytes.empty()) << file;
  bytes[bytes.size() / 2] ^= 1;
  std::filesystem::permissions(file, std::filesystem::perms::owner_write,
                               std::filesystem::perm_options::add);
  writeWhole(file, bytes);
}

QString StoreSample::bundle(const std::string& name) const {
  auto store = Store::open(path());
  EXPECT_TRUE(store);
  auto bundle = hub::BundleTransport::create(folder_ / name, false);
  EXPECT_TRUE(bundle);
  PushOptions options;
  options.parallel = 1;
  EXPECT_TRUE(pushVersions(**store, **bundle, options, {}, {}));
  return QString::fromStdString((folder_ / name).string());
}

}  // namespace strata::test
