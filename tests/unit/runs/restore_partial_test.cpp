#include "core/ops/versions/restore_partial.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include <fstream>

#include "onnx_io/plain_arrays.h"
#include "onnx_io/zip/patched_checksums.h"
#include "onnx_io/zip/zip_checksums.h"
#include "tests/support/onnx_wire_encoder.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Two tensors of eight words each.
std::string model(char a, char b, std::string_view shapeOfB = "8") {
  const std::string header =
      fmt::format(R"({{"a.weight":{{"dtype":"F32","shape":[8],"data_offsets":[0,32]}},)"
                  R"("b.weight":{{"dtype":"F32","shape":[{}],"data_offsets":[32,64]}}}})",
                  shapeOfB);
  return test::safetensorsFile(header, std::string(32, a) + std::string(32, b));
}

class PartialRestore : public test::RunFixture {
 protected:
  PartialRestore() { fs::create_directory(folder_ / "now"); }
  fs::path file() const { return folder_ / "now" / "model.safetensors"; }
  void store(const std::string& text, const fs::path& path = "model.safetensors") {
    const fs::path stored = folder_ / "stored";
    fs::create_directories(stored);
    test::writeWhole(stored / path, text);
    ASSERT_TRUE(addVersion(RunFixture::store(), **tools_.open(stored), {.name = "run"}, {}, {}));
  }
  Result<RestorePartialReport> restore(std::vector<std::string> globs, bool dryRun = false) {
    return restorePartial(RunFixture::store(),
                          {.reference = "run",
                           .target = file(),
                           .globs = std::move(globs),
                           .open = tools_.open,
                           .checksums = patchedChecksums,
                           .dryRun = dryRun},
                          {}, {});
  }
  std::size_t filesBesideIt() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(file().parent_path()), {}));
  }
};

TEST_F(PartialRestore, WritesTheTensorsThatAreNamed) {
  store(model('1', '2'));
  test::writeWhole(file(), model('3', '4'));
  const auto done = restore({"a.*"});
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_EQ(done->tensors.size(), 1U);
  EXPECT_EQ(done->tensors.front().name, "a.weight");
  EXPECT_TRUE(done->tensors.front().isChanged);
  EXPECT_EQ(test::readWhole(file()), model('1', '4'));
  EXPECT_EQ(filesBesideIt(), 1U);
}

/// The one that a program's own umask would give is kept as no mode at all.
TEST_F(PartialRestore, KeepsTheModeOfTheFile) {
  store(model('1', '2'));
  for (const unsigned mode : {0644U, 0664U, 0600U, 0444U}) {
    test::writeWhole(file(), model('3', '4'));
    fs::permissions(file(), fs::perms(mode));
    const auto done = restore({"a.*"});
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(fs::status(file()).permissions(), fs::perms(mode)) << mode;
    fs::remove(file());
  }
}

TEST_F(PartialRestore, LeavesTheFileInADryRun) {
  store(model('1', '2'));
  test::writeWhole(file(), model('3', '4'));
  const auto told = restore({"*"}, true);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->tensors.size(), 2U);
  EXPECT_EQ(test::readWhole(file()), model('3', '4'));
}

TEST_F(PartialRestore, RefusesWhatDoesNotFit) {
  store(model('1', '2'));
  const auto refuses = [&](std::vector<std::string> globs, const char* why) {
    const std::string before = test::readWhole(file());
    const auto done = restore(std::move(globs));
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().message, HasSubstr(why));
    EXPECT_EQ(test::readWhole(file()), before);
  };
  test::writeWhole(file(), model('3', '4', "2,4"));
  refuses({"b.*"}, "b.weight: is f32 8 in run:v1, and f32 2x4 in");
  refuses({"c.*"}, R"(has no tensor that "c.*" names)");
  ASSERT_TRUE(restore({"a.*"})) << "what is not asked for need not fit";
  std::string other = model('3', '4');
  other.replace(other.find("b.weight"), 8, "c.weight");
  test::writeWhole(file(), other);
  refuses({"b.*"}, "; run:v1 has");
  refuses({"*"}, "run:v1: has no tensor c.weight");
  fs::remove(file());
  const auto absent = restore({"*"});
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::NotFound);
}

TEST_F(PartialRestore, TakesThemFromTheFileOfTheSameName) {
  store(model('1', '1'), "other.safetensors");
  store(model('2', '2'));
  test::writeWhole(file(), model('3', '3'));
  ASSERT_TRUE(restore({"a.*"}));
  EXPECT_EQ(test::readWhole(file()), model('2', '3'));
  const fs::path odd = file().parent_path() / "odd.safetensors";
  test::writeWhole(odd, model('3', '3'));
  const auto unclear = restorePartial(
      RunFixture::store(),
      {.reference = "run", .target = odd, .globs = {"a.*"}, .open = tools_.open}, {}, {});
  ASSERT_FALSE(unclear);
  EXPECT_THAT(unclear.error().message, HasSubstr("has them in several files"));
}

/// Files of torch.save, of two steps of one training.
TEST_F(PartialRestore, KeepsTheChecksumsOfArchives) {
  const fs::path data = fs::path(STRATA_TEST_DATA) / "pytorch" / "1.13";
  store(test::readWhole(data / "step-3.ckpt"), "last.ckpt");
  const fs::path last = folder_ / "now" / "last.ckpt";
  fs::copy_file(data / "step-4.ckpt", last);
  const auto done = restorePartial(RunFixture::store(),
                                   {.reference = "run",
                                    .target = last,
                                    .globs = {"*"},
                                    .open = tools_.open,
                                    .checksums = patchedChecksums},
                                   {}, {});
  ASSERT_TRUE(done) << done.error().message;
  const auto restored = tools_.open(last);
  ASSERT_TRUE(restored);
  const auto wanted = tools_.open(data / "step-3.ckpt");
  const ModelDescription& all = (*restored)->description();
  ASSERT_FALSE(all.tensors.empty());
  for (std::size_t i = 0; i < all.tensors.size(); ++i) {
    const ModelDescription& other = (*wanted)->description();
    EXPECT_TRUE(std::ranges::equal(bytesOf(all, all.tensors[i]), bytesOf(other, other.tensors[i])))
        << all.tensors[i].name;
  }
  EXPECT_EQ(memberWithOtherChecksum(all.files.front().bytes.whole()), "");
}

/// Views of storages: their bytes alone do not tell which element is whose.
TEST_F(PartialRestore, TakesViewsOnlyWhereTheyLieAlike) {
  const fs::path data = fs::path(STRATA_TEST_DATA) / "pytorch" / "1.13";
  store(test::readWhole(data / "slices-1.pt"), "last.pt");
  const fs::path last = folder_ / "now" / "last.pt";
  const auto take = [&](const char* from, std::vector<std::string> globs) {
    fs::copy_file(data / from, last, fs::copy_options::overwrite_existing);
    return restorePartial(RunFixture::store(),
                          {.reference = "run",
                           .target = last,
                           .globs = std::move(globs),
                           .open = tools_.open,
                           .arrays = plainArraysOf,
                           .checksums = patchedChecksums},
                          {}, {});
  };
  const auto elsewhere = take("slices-2.pt", {"columns"});
  ASSERT_FALSE(elsewhere);
  EXPECT_THAT(elsewhere.error().message, HasSubstr("columns: lies elsewhere in its storage"));
  const auto shared = take("slices-2.pt", {"gaps"});
  ASSERT_FALSE(shared);
  EXPECT_THAT(shared.error().message, HasSubstr("gaps: shares its storage"));
  EXPECT_EQ(test::readWhole(last), test::readWhole(data / "slices-2.pt"));
  ASSERT_TRUE(take("slices-2.pt", {"gaps*", "rows"}));
  ASSERT_TRUE(take("slices-1.pt", {"columns"}));
}

/// A trainer that saves meanwhile wins.
TEST_F(PartialRestore, DoesNotReplaceWhatHasChanged) {
  store(model('1', '2'));
  test::writeWhole(file(), model('3', '4'));
  const auto done =
      restorePartial(RunFixture::store(),
                     {.reference = "run",
                      .target = file(),
                      .globs = {"a.*"},
                      .open = tools_.open,
                      .checksums =
                          [&](const ModelFile& read, std::span<const FilePatch> patches) {
                            test::writeWhole(file(), model('5', '6') + " ");
                            return patchedChecksums(read, patches);
                          }},
                     {}, {});
  ASSERT_FALSE(done);
  EXPECT_EQ(test::readWhole(file()), model('5', '6') + " ");
  EXPECT_EQ(filesBesideIt(), 1U);
}

}  // namespace
}  // namespace strata
