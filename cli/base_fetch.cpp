#include "cli/base_fetch.h"

#include <fmt/format.h>

#include "cli/remote_access.h"
#include "core/ops/versions/add_settings.h"
#include "hub/fetch_base.h"
#include "onnx_io/model_reader.h"

namespace strata::cli {
namespace {

Result<void> ask(Context& context, const BaseElsewhere& base) {
  context.endProgress();
  const auto answer = context.confirm("The remote does not hold the base " + placeText(base) +
                                      "; it will be fetched from there");
  if (answer && *answer) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("the remote does not hold the base {}; --fetch-bases fetches it from "
                          "there",
                          placeText(base)));
}

Result<void> fetchBase(Context& context, Store& store, const BaseElsewhere& base,
                       const std::stop_token& stop, const ProgressSink& progress) {
  context.endProgress();
  context.output().note(printable("Fetching the base " + placeText(base)));
  const ModelOpener open =
      [&](const std::filesystem::path& path) -> Result<std::unique_ptr<ModelSource>> {
    auto model = context.openModel(path, false);
    // Not a broken file of the user's: what came in place of the base.
    if (!model) return openModel(path);
    return *std::move(model);
  };
  ImportOptions options;
  applySettings(context.config(), std::nullopt, options);
  STRATA_TRY(const AddReport stored,
             hub::fetchBase(store, base, std::move(options), transportOptions(context), open, stop,
                            progress));
  context.endProgress();
  context.output().note(printable(
      fmt::format("Imported {} from {}", stored.version.label(), stored.version.sourceUrl)));
  return {};
}

}  // namespace

Argument fetchBasesArgument(bool& target) {
  return {.spelling = "--fetch-bases",
          .target = &target,
          .help = "fetch bases that the remote does not hold from where it says, unasked"};
}

BaseFetcher baseFetcher(Context& context, Store& store, bool isAllowed) {
  return [&context, &store, isAllowed](const BaseElsewhere& base, const std::stop_token& stop,
                                       const ProgressSink& progress) -> Result<void> {
    if (!isAllowed) STRATA_TRY(ask(context, base));
    return fetchBase(context, store, base, stop, progress);
  };
}

}  // namespace strata::cli
