// Makes a store of training steps: strata_golden_steps STORE FILES KIND, which is steps, drift,
// rows or rounded. STORE is there and empty; the files of each version come to FILES/run-vN.

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

/// Several steps of which each reached few rows of a table.
Result<void> makeRows(const std::filesystem::path& folder, const std::filesystem::path& files) {
  constexpr std::uint64_t kApart = 6;
  STRATA_TRY(const std::unique_ptr<Store> store, Store::open(folder));
  TrainingRun run({{"table.weight", {40, 48}}});
  run.touchOneRowIn(2 * kApart);
  for (const int number : {1, 2}) {
    const auto model = run.snapshot();
    writeFiles(*model, files / fmt::format("run-v{}", number));
    AddOptions options{.name = "run", .baseChoice = BaseChoice::None};
    if (number == 2) {
      options.baseChoice = BaseChoice::Reference;
      options.base = "run:v1";
      options.stepsFrom = [&](const VersionReader&) { return run.groupsApart(kApart); };
    }
    STRATA_TRY(const AddReport report, addVersion(*store, *model, options, {}, {}));
    fmt::print("{}: {} bytes\n", report.version.label(), report.version.storedBytes);
    for (std::uint64_t i = 0; i < kApart; ++i) run.step();
  }
  return {};
}

/// Weights in bf16 in front of the optimizer's own copy, and no step that is known.
Result<void> makeRounded(const std::filesystem::path& folder, const std::filesystem::path& files) {
  STRATA_TRY(const std::unique_ptr<Store> store, Store::open(folder));
  TrainingRun run({{"body.weight", {28, 50}}, {"body.bias", {28}}});
  for (const int number : {1, 2}) {
    const auto model = run.mixedSnapshot(ElementType::BF16);
    writeFiles(*model, files / fmt::format("run-v{}", number));
    const AddOptions first{.name = "run", .baseChoice = BaseChoice::None};
    const AddOptions second{.name = "run", .baseChoice = BaseChoice::Reference, .base = "run:v1"};
    STRATA_TRY(const AddReport report,
               addVersion(*store, *model, number == 1 ? first : second, {}, {}));
    fmt::print("{}: {} bytes\n", report.version.label(), report.version.storedBytes);
    run.step();
  }
  return {};
}

}  // namespace
}  // namespace strata::test

int main(int argc, char** argv) {
  using namespace strata::test;
  if (argc != 4) return 2;
  const std::string_view kind = argv[3];
  const std::span<const strata::AdamVariant> steps = kSteps;
  const auto made = kind == "rounded" ? makeRounded(argv[1], argv[2])
                    : kind == "rows"
                        ? makeRows(argv[1], argv[2])
                        : makeSteps(argv[1], argv[2], kind == "drift" ? kDrift : steps);
  if (!made) fmt::print(stderr, "{}\n", made.error().message);
  return made ? 0 : 1;
}
