#pragma once

#include <stop_token>
#include <string>

#include "core/io/models/model_sink.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"

namespace strata {

/// Sends the bytes of one tensor of a stored version, as they lie in its file, without restoring
/// the rest of the model. Each block is checked before it is sent. Fails with NotFound if no tensor
/// has exactly this name, InvalidArgument if several files have one; else as restoreToSink().
Result<void> catTensor(const Store& store, const std::string& reference, const std::string& tensor,
                       ByteSink& sink, std::stop_token stop, const ProgressSink& progress);

}  // namespace strata
