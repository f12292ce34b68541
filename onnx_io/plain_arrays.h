#pragma once

#include <string>
#include <vector>

#include "core/io/models/plain_array.h"

namespace strata {

/// The tensors of one file of a model, an ArrayLister. A model lists the tensors of PyTorch's files
/// as their elements lie, and one of several that share them: here they are read anew. Those of a
/// `.distcp` are the parts that it holds.
///
/// Fails with Unsupported, naming the file, where the tensors of an archive cannot be told: a
/// pickle that is not understood, compressed members, words of a big-endian machine.
Result<std::vector<PlainArray>> plainArraysOf(const ModelDescription& model, std::size_t file,
                                              std::vector<LeftOutTensor>& leftOut);

}  // namespace strata
