// Stores weights that lie in memory as a version of a base, and reads them back into memory.
// The API promises nothing before 1.0: build with the version of Strata that you tested with.
#include <strata/core/ops/add_version.h>
#include <strata/core/ops/import_base.h>
#include <strata/core/ops/init_store.h>
#include <strata/core/ops/restore_tensors.h>
#include <strata/onnx_io/array_model.h>

#include <cmath>
#include <cstdio>

namespace {

constexpr std::uint64_t kRows = 512;
constexpr std::uint64_t kColumns = 256;

/// One array as a model. The model reads it where it lies.
strata::Result<std::unique_ptr<strata::ModelSource>> modelOf(const std::vector<float>& weights) {
  return strata::modelOfArrays({{.name = "encoder.weight",
                                 .type = strata::ElementType::F32,
                                 .shape = {kRows, kColumns},
                                 .bytes = std::as_bytes(std::span(weights))}});
}

strata::Result<bool> comesBack(const std::filesystem::path& folder) {
  std::vector<float> base(kRows * kColumns);
  for (std::size_t i = 0; i < base.size(); ++i) base[i] = std::sin(static_cast<float>(i * i));
  std::vector<float> tuned = base;
  for (std::size_t i = 0; i < tuned.size(); i += 3) tuned[i] *= 1.0001F;

  STRATA_TRY(strata::initStore({.folder = folder}));
  STRATA_TRY(const auto store, strata::Store::open(folder));
  STRATA_TRY(const auto baseModel, modelOf(base));
  STRATA_TRY(strata::importBase(*store, *baseModel, {.name = "base"}, {}, {}));
  STRATA_TRY(const auto tunedModel, modelOf(tuned));
  STRATA_TRY(const auto added, strata::addVersion(*store, *tunedModel, {.name = "tuned"}, {}, {}));
  std::printf("%s: a difference to %s of %llu bytes\n", added.version.label().c_str(),
              added.parentLabel.c_str(),
              static_cast<unsigned long long>(added.version.storedBytes));

  std::vector<float> restored(tuned.size());
  const strata::TensorTarget target{.name = "encoder.weight",
                                    .shape = {kRows, kColumns},
                                    .out = std::as_writable_bytes(std::span(restored))};
  STRATA_TRY(strata::restoreTensors(*store, {.reference = "tuned", .tensors = {target}}, {}, {}));
  return restored == tuned;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: embed STORE\n", stderr), 2;
  const auto compared = comesBack(argv[1]);
  if (!compared) return std::fprintf(stderr, "%s\n", compared.error().message.c_str()), 1;
  std::puts(*compared ? "the same weights came back" : "other weights came back");
  return *compared ? 0 : 1;
}
