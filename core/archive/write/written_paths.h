#pragma once

#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// Whether the paths of a model's files are such as a manifest may hold: what it may not say is not
/// written, since it could not be read again. Fails with InvalidArgument, naming the path.
Result<void> checkPaths(const ModelDescription& model);

}  // namespace strata
