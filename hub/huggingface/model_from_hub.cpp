#include "hub/huggingface/model_from_hub.h"

#include "core/io/os_error.h"
#include "core/transfer/fetched_models.h"
#include "hub/web_model.h"

namespace strata::hub {

Result<ModelFromHub> ModelFromHub::fetch(const std::filesystem::path& storeFolder,
                                         const RemoteConfig& remote,
                                         const TransportOptions& options, std::stop_token stop,
                                         const ProgressSink& progress, std::uint64_t mostBytes) {
  std::filesystem::path folder = fetchedModelFolder(storeFolder, remote.url);
  STRATA_TRY(FolderLock lock, FolderLock::take(folder));
  auto model = isWebUrl(remote.url)
                   ? fetchWebModel(remote, options, folder, std::move(stop), progress, mostBytes)
                   : fetchModel(remote, options, folder, options.parallel, std::move(stop),
                                progress, mostBytes);
  if (!model) return fail(std::move(model).error());
  return ModelFromHub(std::move(folder), std::move(lock), *std::move(model));
}

Result<ModelFromHub> ModelFromHub::fetch(const std::filesystem::path& storeFolder,
                                         const BaseElsewhere& base, const TransportOptions& options,
                                         std::stop_token stop, const ProgressSink& progress) {
  if (!isFetchable(base.url)) {
    return fail(ErrorCode::InvalidArgument, base.url + ": is no place of a plain model");
  }
  STRATA_TRY(ModelFromHub model, fetch(storeFolder, RemoteConfig{.name = {}, .url = base.url},
                                       options, std::move(stop), progress, base.byteCount));
  // The name of a model's only file counts as its content does.
  const std::filesystem::path named = model.model_.path.parent_path() / base.file;
  std::error_code status;
  if (base.file.empty() || !std::filesystem::is_regular_file(model.model_.path, status)) {
    return model;
  }
  std::filesystem::rename(model.model_.path, named, status);
  if (status) return fail(osError(named, "create", status.value()));
  model.model_.path = named;
  return model;
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
