#include "hub/fetch_base.h"

#include "hub/huggingface/model_from_hub.h"

namespace strata::hub {

Result<AddReport> fetchBase(Store& store, const BaseElsewhere& base, ImportOptions options,
                            const TransportOptions& transfers, const ModelOpener& open,
                            std::stop_token stop, const ProgressSink& progress) {
  STRATA_TRY(ModelFromHub fetched,
             ModelFromHub::fetch(store.folder(), base, transfers, stop, progress));
  fetched.describe(options.sourceUrl, options.license);
  const auto model = open(fetched.path());
  Result<AddReport> stored =
      model ? importElsewhere(store, **model, base, options, std::move(stop), progress)
            : fail(model.error().within(base.url));
  // What is another model would be one at the next try, too.
  if (stored || stored.error().code == ErrorCode::CorruptData) fetched.drop();
  return stored;
}

}  // namespace strata::hub
