#include <gtest/gtest.h>

#include <filesystem>

#include "core/archive/read/version_reader.h"
#include "tests/support/memory_model.h"
#include "tests/support/temp_folder.h"
#include "tests/support/version_store.h"

namespace strata::test {
namespace {

namespace fs = std::filesystem;

/// Objects as files of a folder.
class FolderObjects final : public ObjectReader {
 public:
  FolderObjects(const fs::path& folder, const MemoryObjects& objects) : folder_(folder) {
    for (const auto& [digest, bytes] : objects.all()) {
      writeWhole(pathOf(digest), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
  }
  fs::path pathOf(const Digest& digest) const { return folder_ / toHex(digest); }
  Result<MappedFile> openObject(const Digest& digest) const override {
    return MappedFile::open(pathOf(digest));
  }

 private:
  fs::path folder_;
};

TEST(UnreadablePack, IsNamedInsteadOfEndingTheProcess) {
  const TempFolder folder;
  VersionStore store;
  const WriteReport report = store.add(*makeModel(1));
  const FolderObjects objects(folder.path(), store.objects);
  const auto reader = VersionReader::open(report.manifest, nullptr, objects);
  ASSERT_TRUE(reader) << reader.error().message;
  const Digest pack = report.manifest.packs[0];
  // As if the disk lost its second page and all behind.
  fs::resize_file(objects.pathOf(pack), 4096);
  std::vector<std::byte> out(report.manifest.files[0].byteCount);
  const auto read = (*reader)->read(0, 0, out);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::CorruptData);
  EXPECT_NE(read.error().message.find("pack " + toHex(pack) + ": cannot be read: the disk failed"),
            std::string::npos)
      << read.error().message;
}

}  // namespace
}  // namespace strata::test
