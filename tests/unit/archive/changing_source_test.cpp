#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <utility>

#include "core/archive/write/version_writer.h"
#include "onnx_io/model_reader.h"
#include "tests/support/memory_model.h"
#include "tests/support/memory_objects.h"
#include "tests/support/temp_folder.h"

namespace strata::test {
namespace {

namespace fs = std::filesystem;

/// Calls a function when the first object is begun: the model is planned then and not yet coded.
class Meanwhile final : public ObjectWriter {
 public:
  explicit Meanwhile(std::function<void()> act) : act_(std::move(act)) {}

  Result<std::unique_ptr<NewObject>> createObject() override {
    if (act_) std::exchange(act_, nullptr)();
    return objects_.createObject();
  }
  bool isEmpty() const { return objects_.all().empty(); }

 private:
  std::function<void()> act_;
  MemoryObjects objects_;
};

constexpr std::size_t kWords = 100'000;

std::string safetensors(unsigned seed) {
  const std::string header = fmt::format(
      R"({{"w":{{"dtype":"F32","shape":[{}],"data_offsets":[0,{}]}}}})", kWords, 4 * kWords);
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header +
         randomFloats(kWords, seed);
}

void overwrite(const fs::path& file, std::int64_t offset, std::string_view bytes) {
  const int descriptor = ::open(file.c_str(), O_WRONLY);
  ASSERT_EQ(::pwrite(descriptor, bytes.data(), bytes.size(), offset),
            static_cast<ssize_t>(bytes.size()));
  ::close(descriptor);
}

/// What adding a model says that `change` changes meanwhile; empty if it is stored.
std::string problemOf(const fs::path& path, const std::function<void()>& change) {
  const auto model = openModel(path);
  if (!model) return model.error().message;
  Meanwhile objects(change);
  const auto written = writeVersion(**model, nullptr, {}, objects, {}, {});
  if (written) return "";
  EXPECT_EQ(written.error().code, ErrorCode::Io);
  EXPECT_TRUE(objects.isEmpty());
  return written.error().message;
}

class ChangingSource : public testing::Test {
 protected:
  ChangingSource() { writeWhole(file_, safetensors(1)); }

  TempFolder folder_;
  fs::path file_ = folder_ / "m.safetensors";
};

TEST_F(ChangingSource, IsStoredIfItHoldsStill) {
  EXPECT_EQ(problemOf(file_, [] {}), "");
}

TEST_F(ChangingSource, IsRefusedIfItIsWritten) {
  const std::string problem =
      problemOf(file_, [&] { overwrite(file_, 200'000, randomFloats(1000, 2)); });
  EXPECT_NE(problem.find("m.safetensors: changed while it was read (it was written); try again"),
            std::string::npos)
      << problem;
}

TEST_F(ChangingSource, IsRefusedIfItShrinks) {
  const std::string problem = problemOf(file_, [&] { fs::resize_file(file_, 5000); });
  EXPECT_NE(problem.find("changed while it was read (it had 4000"), std::string::npos) << problem;
  EXPECT_NE(problem.find("now 5000)"), std::string::npos) << problem;
}

TEST_F(ChangingSource, IsRefusedIfAnotherTakesItsName) {
  const std::string problem = problemOf(file_, [&] {
    writeWhole(folder_ / "new", safetensors(2));
    fs::rename(folder_ / "new", file_);
  });
  EXPECT_NE(problem.find("another file has its name"), std::string::npos) << problem;
}

TEST_F(ChangingSource, IsRefusedIfItGoes) {
  const std::string problem = problemOf(file_, [&] { fs::remove(file_); });
  EXPECT_NE(problem.find("changed while it was read (it is gone)"), std::string::npos) << problem;
}

TEST_F(ChangingSource, IsRefusedIfAFileOfItsFolderIsWritten) {
  writeWhole(folder_ / "config.json", "{}");
  const std::string problem =
      problemOf(folder_.path(), [&] { writeWhole(folder_ / "config.json", "{ }"); });
  EXPECT_NE(problem.find("config.json: changed while it was read"), std::string::npos) << problem;
}

TEST_F(ChangingSource, IsRefusedIfItsFolderGetsAFile) {
  const std::string problem =
      problemOf(folder_.path(), [&] { writeWhole(folder_ / "later.json", "{}"); });
  EXPECT_NE(problem.find("changed while it was read (later.json is new)"), std::string::npos)
      << problem;
}

/// Changes that leave no trace in the file's times, as those by another mapping of it may.
TEST(ChangingBytes, AreFoundWithoutTheFilesTimes) {
  for (const std::size_t place : {std::size_t{3}, std::size_t{4000}, std::size_t{23'000}}) {
    const auto model = makeModel(1);
    const auto bytes = model->description().files[0].bytes.whole();
    ASSERT_LT(place, bytes.size());
    Meanwhile objects([&] {
      auto& byte = const_cast<std::byte&>(bytes[place]);
      byte ^= std::byte{1};
    });
    const auto written = writeVersion(*model, nullptr, {}, objects, {}, {});
    ASSERT_FALSE(written) << place;
    EXPECT_EQ(written.error().code, ErrorCode::Io);
    EXPECT_NE(written.error().message.find("changed while it was read"), std::string::npos)
        << written.error().message;
    EXPECT_TRUE(objects.isEmpty());
  }
}

}  // namespace
}  // namespace strata::test
