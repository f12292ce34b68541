#include "core/ops/versions/add_list.h"

#include <gmock/gmock.h>

#include <set>

#include "core/store/refs/reference.h"
#include "core/transfer/remote_library.h"
#include "core/transfer/transfer_log.h"
#include "tests/unit/hub/exchange_fixture.h"
#include "tests/unit/hub/forwarding_transport.h"

namespace strata {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ModelList, ReadsNamesFilesAndBases) {
  const auto models = readModelList("a\tx/a.onnx\tbase:v1\nb\tb.npz\t\r\norg/c\tc", "list");
  ASSERT_TRUE(models) << models.error().message;
  ASSERT_EQ(models->size(), 3U);
  EXPECT_EQ((*models)[0].base, "base:v1");
  EXPECT_EQ((*models)[1].file, "b.npz");
  EXPECT_EQ((*models)[1].base, "");
  EXPECT_EQ((*models)[2].name, "org/c");
  EXPECT_EQ((*models)[2].line, 3U);
}

TEST(ModelList, TakesUrlsThatItsReaderFetches) {
  const char* const text = "a\ts3://b/a\tbase\nb\tb.npz\thttps://h/base.onnx\n";
  std::vector<std::string> asked;
  const auto note = [&](const std::string& url) -> Result<void> {
    asked.push_back(url);
    return {};
  };
  const auto models = readModelList(text, "list", note);
  ASSERT_TRUE(models) << models.error().message;
  EXPECT_THAT(asked, ElementsAre("s3://b/a", "https://h/base.onnx"));
  const auto onlyS3 = [](const std::string& url) -> Result<void> {
    if (url.starts_with("s3://")) return {};
    return fail(ErrorCode::InvalidArgument, "no " + url);
  };
  const auto refused = readModelList(text, "list", onlyS3);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "list: line 2: no https://h/base.onnx");
  EXPECT_FALSE(readModelList("a\t-\n", "list", note));
}

TEST(ModelList, NamesBasesAfterTheirUrls) {
  const std::string name = nameOfBase("s3://bucket/models/minilm.safetensors");
  EXPECT_TRUE(name.starts_with("bases/minilm-")) << name;
  EXPECT_EQ(nameOfBase("s3://bucket/models/minilm.safetensors?signature=x"), name);
  EXPECT_NE(nameOfBase("s3://bucket/other/minilm.safetensors"), name);
  EXPECT_TRUE(nameOfBase("hf://org/llama-3.1/").starts_with("bases/llama-3-"));
  EXPECT_TRUE(nameOfBase("https://h/").starts_with("bases/"));
  for (const char* const url : {"s3://b/..", "s3://b/-x y\u00e9.onnx", "s3://b/.a", "x://"}) {
    EXPECT_TRUE(checkName(nameOfBase(url))) << nameOfBase(url);
  }
  EXPECT_TRUE(checkName(nameOfBase("s3://b/" + std::string(500, 'x'))));
}

struct BadList {
  const char* text;
  const char* says;
};

class EveryBadList : public ::testing::TestWithParam<BadList> {};

TEST_P(EveryBadList, IsRefusedWithItsLine) {
  const auto models = readModelList(GetParam().text, "models.txt");
  ASSERT_FALSE(models);
  EXPECT_EQ(models.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(models.error().message, HasSubstr("models.txt: "));
  EXPECT_THAT(models.error().message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Lists, EveryBadList,
    ::testing::Values(BadList{"", "lists no models"}, BadList{"a\tf\nb f\n", "line 2: has 1 field"},
                      BadList{"a\tf\tbase\tmore\n", "line 1: has 4 fields"},
                      BadList{"a\tf\n\nb\tg\n", "line 2: has 0 fields"},
                      BadList{"a\tf\nb\tg\na\th\n", "line 3: a stands in line 1, too"},
                      BadList{"a\tf\n-b\tg\n", "line 2: name \"-b\""},
                      BadList{"\tf\n", "line 1: NAME is missing"},
                      BadList{"a\t\tbase\n", "line 1: FILE is missing"},
                      BadList{"a\tf\nb\thf://org/m\n", "line 2: hf://org/m"},
                      BadList{"a\tf\tbase:v0\n", "line 1: \"base:v0\""}));

TEST(Shard, IsReadAndTilesAList) {
  std::vector<ListedModel> models;
  for (std::size_t i = 0; i < 10; ++i) models.push_back({.name = std::to_string(i), .file = "f"});
  std::multiset<std::string> taken;
  for (const char* const text : {"0/4", "1/4", "2/4", "3/4"}) {
    const auto shard = parseShard(text);
    ASSERT_TRUE(shard) << shard.error().message;
    for (const ListedModel& model : modelsOf(models, *shard)) taken.insert(model.name);
  }
  EXPECT_EQ(taken.size(), models.size());
  EXPECT_EQ(modelsOf(models, {1, 4})[1].name, "5");
  EXPECT_THAT(modelsOf(models, {11, 12}), IsEmpty());
  for (const char* const text : {"4/4", "0/0", "-1/4", "1", "1/", "/4", "1/4/2", "a/b", ""}) {
    EXPECT_FALSE(parseShard(text)) << text;
  }
}

/// A folder whose list cannot be written for a while.
class DownFolder final : public test::ForwardingTransport {
 public:
  explicit DownFolder(const std::filesystem::path& folder)
      : ForwardingTransport(std::make_unique<hub::FolderTransport>(folder)) {}

  Result<RefOutcome> advanceRefs(const RefPush& push, std::stop_token stop) override {
    ++calls;
    if (isDown) return fail(ErrorCode::Network, "is down");
    return ForwardingTransport::advanceRefs(push, stop);
  }

  bool isDown = false;
  std::size_t calls = 0;
};

class AddList : public test::ExchangeFixture {
 protected:
  AddList() : model_(test::makeModel(1)) {
    auto store = makeStore("centre");
    importBase(*store);
    EXPECT_TRUE(push(*store, remote_));
  }

  /// Names "m0", "m1", …, each with a file of its own; "bad" is no model.
  static std::vector<ListedModel> lines(std::size_t count) {
    std::vector<ListedModel> models;
    for (std::size_t i = 0; i < count; ++i) {
      models.push_back({"m" + std::to_string(i), std::to_string(i + 20), "base", i + 1});
    }
    return models;
  }

  Result<AddListReport> run(Store& store, Transport& remote, std::vector<ListedModel> models,
                            std::stop_token stop = {}) {
    const AddListOptions options{
        .models = std::move(models), .remote = &remote, .push = {.keptAs = remote.url()}};
    const AddListCalls calls{
        .open = [&](const std::string& file) -> Result<std::unique_ptr<ModelSource>> {
          opened_.push_back(file);
          if (file == "s3://b/base") return test::makeModel(1);
          if (file == "bad") return fail(ErrorCode::Unsupported, "bad: is no model");
          return test::makeTuned(*model_, static_cast<unsigned>(std::stoul(file)));
        },
        .onClosed = [&](const std::string& file) { closed_.push_back(file); },
        .onEvent = [&](const AddListEvent& event) { events_.push_back(event.kind); }};
    return addList(store, options, calls, std::move(stop), {});
  }

  RemoteLibrary there() { return RemoteLibrary::from(remote_.readRefs({}).value()); }

  std::vector<AddListEvent::Kind> events_;
  std::vector<std::string> opened_;  ///< models, as lines name them
  std::vector<std::string> closed_;

 private:
  const std::unique_ptr<test::MemoryModel> model_;
};

TEST_F(AddList, StoresAndPushesAllButABadLine) {
  auto worker = makeStore("worker");
  auto models = lines(5);
  models[2].file = "bad";
  models[3].base = "nowhere";
  const auto report = run(*worker, remote_, models);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->stored, 3U);
  EXPECT_EQ(report->pushed, 3U);
  ASSERT_EQ(report->failed.size(), 2U);
  EXPECT_EQ(report->failed[0].model.line, 3U);
  EXPECT_EQ(report->failed[1].error.code, ErrorCode::NotFound);
  EXPECT_THAT(report->unsent, IsEmpty());
  EXPECT_FALSE(report->isWhole());
  EXPECT_EQ(there().versions.size(), 4U) << "with the base";
  EXPECT_TRUE(worker->resolve("base"));
  expectSound(*worker);
}

TEST_F(AddList, FetchesTheBaseOfAUrlOnce) {
  auto worker = makeStore("worker");
  auto models = lines(3);
  for (ListedModel& model : models) model.base = "s3://b/base";
  models[1].file = "bad";
  const auto report = run(*worker, remote_, models);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->stored, 2U);
  EXPECT_THAT(opened_, ElementsAre("20", "s3://b/base", "bad", "22"));
  EXPECT_THAT(closed_, ElementsAre("s3://b/base", "20", "bad", "22"));
  const std::string base = nameOfBase("s3://b/base") + ":v1";
  EXPECT_TRUE(worker->resolve(base));
  for (const char* const name : {"m0", "m2"}) {
    const auto version = worker->resolve(name);
    ASSERT_TRUE(version);
    EXPECT_FALSE(version->isBase()) << name << " is stored in full";
  }
  EXPECT_FALSE(there().named(nameOfBase("s3://b/base")).empty());
  // What is there needs no base.
  auto other = makeStore("other");
  opened_.clear();
  models.erase(models.begin() + 1);
  ASSERT_TRUE(run(*other, remote_, models));
  EXPECT_THAT(opened_, ElementsAre("20", "22"));
  expectSound(*worker);
}

TEST_F(AddList, DoesOnlyTheRestTheSecondTime) {
  auto worker = makeStore("worker");
  ASSERT_TRUE(run(*worker, remote_, lines(2)));
  const auto again = run(*worker, remote_, lines(4));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->there, 2U);
  EXPECT_EQ(again->stored, 2U);
  EXPECT_EQ(again->pushed, 2U);
  // The store went with its node.
  auto other = makeStore("other");
  const auto third = run(*other, remote_, lines(4));
  ASSERT_TRUE(third) << third.error().message;
  EXPECT_EQ(third->there, 4U);
  EXPECT_EQ(third->stored + third->pushed, 0U);
  EXPECT_FALSE(other->resolve("m0"));
  EXPECT_EQ(there().versions.size(), 5U);
}

TEST_F(AddList, PushesWhatAnEarlierRunOnlyStored) {
  DownFolder remote(folder_ / "remote");
  remote.isDown = true;
  auto worker = makeStore("worker");
  const auto first = run(*worker, remote, lines(3));
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->stored, 3U);
  EXPECT_EQ(first->pushed, 0U);
  ASSERT_EQ(first->unsent.size(), 1U);
  EXPECT_EQ(first->unsent.front().error.code, ErrorCode::Network);
  EXPECT_EQ(std::count(events_.begin(), events_.end(), AddListEvent::Kind::Waiting), 1);
  EXPECT_THAT(listTransfers(*worker).value(), Not(IsEmpty()));
  remote.isDown = false;
  const auto second = run(*worker, remote, lines(3));
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_TRUE(second->isWhole());
  EXPECT_EQ(second->known, 3U);
  EXPECT_EQ(second->pushed, 3U);
  EXPECT_EQ(there().versions.size(), 4U);
  EXPECT_THAT(listTransfers(*worker).value(), IsEmpty()) << "the push that broke off is over";
}

TEST_F(AddList, TakesANumberThatIsFreeOnTheRemote) {
  auto before = makeStore("before");
  auto models = lines(1);
  models[0].file = "99";
  ASSERT_TRUE(run(*before, remote_, models));
  auto worker = makeStore("worker");
  const auto report = run(*worker, remote_, lines(1));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->isWhole());
  EXPECT_EQ(there().named("m0").size(), 2U);
  EXPECT_TRUE(worker->resolve("m0:v2"));
}

TEST_F(AddList, KeepsWhatItStoredWhenItIsStopped) {
  auto worker = makeStore("worker");
  ASSERT_TRUE(run(*worker, remote_, lines(1)));
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = run(*worker, remote_, lines(3), stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::Cancelled);
  const auto rest = run(*worker, remote_, lines(3));
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_EQ(rest->there, 1U);
  EXPECT_EQ(rest->stored, 2U);
  EXPECT_EQ(there().versions.size(), 4U);
}

}  // namespace
}  // namespace strata
