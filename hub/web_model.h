#pragma once

#include <filesystem>
#include <stop_token>
#include <string_view>

#include "core/progress.h"
#include "core/result.h"
#include "hub/huggingface/hf_model.h"

namespace strata::hub {

/// Whether `url` names a file of the web, "https://HOST/model.onnx", and not of a service that we
/// know.
bool isWebUrl(std::string_view url) noexcept;

/// Fetches the file that such a URL names into `folder`, which is made. No credential goes with it,
/// to whatever host. There is no hash to check it by: it has as many bytes as the server says, and
/// has to be a model. An interrupted fetch begins anew.
/// Fails as HttpClient::send and with LoginRequired, NotFound, NoSpace, Io, CorruptData (more than
/// `mostBytes`).
Result<FetchedModel> fetchWebModel(const RemoteConfig& remote, const TransportOptions& options,
                                   const std::filesystem::path& folder, std::stop_token stop,
                                   const ProgressSink& progress,
                                   std::uint64_t mostBytes = kAnyBytes);

}  // namespace strata::hub
