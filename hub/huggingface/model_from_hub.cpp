#include "hub/huggingface/model_from_hub.h"

#include "core/transfer/fetched_models.h"
#include "hub/web_model.h"

namespace strata::hub {

Result<ModelFromHub> ModelFromHub::fetch(const std::filesystem::path& storeFolder,
                                         const RemoteConfig& remote,
                                         const TransportOptions& options, std::stop_token stop,
                                         const ProgressSink& progress) {
  std::filesystem::path folder = fetchedModelFolder(storeFolder, remote.url);
  STRATA_TRY(FolderLock lock, FolderLock::take(folder));
  auto model =
      isWebUrl(remote.url)
          ? fetchWebModel(remote, options, folder, std::move(stop), progress)
          : fetchModel(remote, options, folder, options.parallel, std::move(stop), progress);
  if (!model) return fail(std::move(model).error());
  return ModelFromHub(std::move(folder), std::move(lock), *std::move(model));
}

void ModelFromHub::describe(std::string& sourceUrl, std::string& license) const {
  if (sourceUrl.empty()) sourceUrl = model_.url;
  if (license.empty()) license = model_.license;
}

void ModelFromHub::drop() {
  lock_.reset();
  FolderLock::removeFree(folder_);
}

}  // namespace strata::hub
