#include "tests/unit/ops/store_fixture.h"

namespace strata::test {
namespace {

class StringSink final : public ByteSink {
 public:
  Result<void> append(std::span<const std::byte> bytes) override {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  }
  std::string text;
};

}  // namespace

StoreFixture::StoreFixture() {
  auto created = Store::create(storeFolder());
  EXPECT_TRUE(created) << created.error().message;
  store_ = *std::move(created);
}

void StoreFixture::reopen() {
  store_.reset();
  auto opened = Store::open(storeFolder());
  ASSERT_TRUE(opened) << opened.error().message;
  store_ = *std::move(opened);
}

AddReport StoreFixture::import(const std::string& name, const ModelSource& model) {
  AddOptions options;
  options.name = name;
  options.baseChoice = BaseChoice::None;
  return add(model, options);
}

AddReport StoreFixture::add(const std::string& name, const ModelSource& model,
                            const std::string& base) {
  AddOptions options;
  options.name = name;
  options.base = base;
  options.baseChoice = base.empty() ? BaseChoice::Auto : BaseChoice::Reference;
  return add(model, options);
}

AddReport StoreFixture::add(const ModelSource& model, AddOptions options) {
  auto report = addVersion(*store_, model, options, {}, {});
  EXPECT_TRUE(report) << report.error().message;
  return report.value_or(AddReport{});
}

::testing::AssertionResult StoreFixture::comesBack(const std::string& reference,
                                                   const MemoryModel& model) {
  const auto bytes = restoredBytes(*store_, reference);
  if (!bytes) return ::testing::AssertionFailure() << bytes.error().message;
  if (*bytes != model.bytesOf(0)) return ::testing::AssertionFailure() << "other bytes";
  return ::testing::AssertionSuccess();
}

std::uint64_t StoreFixture::bytesOnDisk() {
  std::uint64_t bytes = 0;
  const auto objects = store().objects().list();
  for (const StoredObject& object : *objects) bytes += object.byteCount;
  return bytes;
}

Result<std::string> restoredBytes(const Store& store, const std::string& reference) {
  StringSink sink;
  STRATA_TRY(restoreToSink(store, {.reference = reference}, sink, {}, {}));
  return std::move(sink.text);
}

}  // namespace strata::test
