#include "cli/cpu_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/codec/lossy/lossy_codec.h"

namespace strata::cli {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 9> kMayUseDevice{
    "add", "bench", "recode", "restore", "resume", "snapshot", "tune", "verify", "watch"};
constexpr std::array<std::string_view, 4> kCodeOnCpu{"cat", "diff", "import", "serve"};

bool isAmong(Names names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool insists(const Context& context) { return context.global().device == "cuda"; }

}  // namespace

Outcome claimCpuWork(Context& context, std::string_view what) {
  if (insists(context)) {
    return problem(
        ErrorCode::Device,
        fmt::format("--device cuda: {} has no code for a GPU, it runs on the CPU", what));
  }
  if (context.config().text("device") == "cuda") {
    context.output().note(fmt::format("the CPU does the work: {} has no code for a GPU", what));
  }
  return ExitCode::Done;
}

Attempt<Device*> noDeviceFor(Context& context, std::string_view what) {
  auto claimed = claimCpuWork(context, what);
  if (!claimed) return tl::unexpected(std::move(claimed).error());
  return nullptr;
}

Attempt<Device*> deviceForQuantizing(Context& context, const std::optional<std::string>& codec,
                                     const QuantizeSettings& settings) {
  if (!codec) return context.device();
  const bool areFitted = std::ranges::any_of(
      settings.rules, [](const QuantizeRule& rule) { return rule.levelCount.value_or(0) != 0; });
  const auto id = codecFromName(*codec);
  LossySettings fitted;
  fitted.levelCount = areFitted ? 1 : 0;
  if (id && hasDeviceSteps(*id, fitted)) return context.device();
  const bool isUniform = id == CodecId::Levels;
  return noDeviceFor(context, "codec " + *codec + (isUniform ? " without --levels" : ""));
}

Outcome claimCpuCommand(Context& context, std::string_view name) {
  if (isAmong(kMayUseDevice, name)) return ExitCode::Done;
  if (!insists(context) && !isAmong(kCodeOnCpu, name)) return ExitCode::Done;
  return claimCpuWork(context, name);
}

}  // namespace strata::cli
