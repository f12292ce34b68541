#pragma once

#include <memory>

#include "core/transfer/model_index.h"
#include "hub/open_transport.h"

namespace strata::hub {

/// A place to search: the Hugging Face Hub (`hf://`, `hf://ORG`); the repositories of a registry
/// (`oci://HOST`); the folders of a bucket, a folder of it or a folder of the disk
/// (`s3://BUCKET[/PREFIX]`, `file:///DIR`), one level deep and the place itself; or one repository.
/// Fails with InvalidArgument, LoginRequired (credentials that cannot be read).
Result<std::unique_ptr<ModelIndex>> openIndex(const RemoteConfig& place,
                                              const TransportOptions& options);

}  // namespace strata::hub
