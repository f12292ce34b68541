// Makes a store of training steps: strata_golden_steps STORE FILES steps|drift. STORE is there and
// empty; the files of each version come to FILES/run-vN.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string_view>

#include "core/archive/write/steps/step_plan.h"
#include "core/ops/versions/add_version.h"
#include "tests/support/training_run.h"

namespace strata::test {
namespace {

using kernels::DenominatorForm;
using kernels::GradientForm;
using kernels::SquareForm;
using kernels::UpdateForm;

constexpr AdamVariant kSteps[] = {
    {},
    {GradientForm::Lerp, SquareForm::Rounded, DenominatorForm::Multiplied,
     UpdateForm::FusedQuotient, false},
    {GradientForm::Double, SquareForm::Double, DenominatorForm::Divided, UpdateForm::Quotient,
     true},
};
constexpr AdamVariant kDrift[] = {
    {GradientForm::Axpy, SquareForm::Fused, DenominatorForm::Divided, UpdateForm::Drift, false},
};

void writeFiles(const MemoryModel& model, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (std::size_t f = 0; f < model.description().files.size(); ++f) {
    std::ofstream(folder / model.description().files[f].path, std::ios::binary) << model.bytesOf(f);
  }
}

Result<void> makeSteps(const std::filesystem::path& folder, const std::filesystem::path& files,
                       std::span<const AdamVariant> variants) {
  STRATA_TRY(const std::unique_ptr<Store> store, Store::open(folder));
  TrainingRun run({{"body.weight", {28, 50}}, {"body.bias", {28}}});
  int number = 0;
  const auto add = [&](const AddOptions& options) -> Result<void> {
    const auto model = run.snapshot();
    writeFiles(*model, files / fmt::format("run-v{}", ++number));
    STRATA_TRY(const AddReport report, addVersion(*store, *model, options, {}, {}));
    fmt::print("{}: {} bytes\n", report.version.label(), report.version.storedBytes);
    return {};
  };
  STRATA_TRY(add({.name = "run", .baseChoice = BaseChoice::None}));
  for (const AdamVariant& variant : variants) {
    run.step(5e-5, variant);
    AddOptions options{
        .name = "run", .baseChoice = BaseChoice::Reference, .base = fmt::format("run:v{}", number)};
    options.stepsFrom = [&](const VersionReader&) { return run.groups(); };
    STRATA_TRY(add(options));
  }
  return {};
}

}  // namespace
}  // namespace strata::test

int main(int argc, char** argv) {
  using namespace strata::test;
  if (argc != 4) return 2;
  const bool isDrift = std::string_view(argv[3]) == "drift";
  const auto made = makeSteps(argv[1], argv[2],
                              isDrift ? std::span<const strata::AdamVariant>(kDrift)
                                      : std::span<const strata::AdamVariant>(kSteps));
  if (!made) fmt::print(stderr, "{}\n", made.error().message);
  return made ? 0 : 1;
}
