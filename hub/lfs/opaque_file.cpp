#include "hub/lfs/opaque_file.h"

#include "core/io/mapped_file.h"

namespace strata::hub {
namespace {

class OpaqueFile final : public ModelSource {
 public:
  OpaqueFile(MappedFile file, const std::string& name) : file_(std::move(file)) {
    description_.format = "folder";
    description_.files.push_back({name, FileKind::Other, file_.bytes()});
    if (file_.bytes().empty()) return;
    TensorInfo all;
    all.name = name;
    all.shape = {file_.bytes().size()};
    all.byteCount = file_.bytes().size();
    description_.tensors.push_back(std::move(all));
  }

  const ModelDescription& description() const noexcept override { return description_; }
  Result<void> checkUnchanged() const override { return file_.checkUnchanged(); }

 private:
  MappedFile file_;
  ModelDescription description_;
};

}  // namespace

Result<std::unique_ptr<ModelSource>> openOpaqueFile(const std::filesystem::path& file) {
  STRATA_TRY(MappedFile mapped, MappedFile::open(file));
  return std::make_unique<OpaqueFile>(std::move(mapped), file.filename().string());
}

}  // namespace strata::hub
