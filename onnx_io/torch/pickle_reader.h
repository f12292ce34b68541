#pragma once

#include <cstddef>
#include <span>

#include "core/result.h"
#include "onnx_io/torch/pickle_tree.h"

namespace strata {

inline constexpr std::size_t kMaxPickleBytes = 64 << 20;

/// Reads a pickle of protocol 2 to 5 without running it: names are not looked up, nothing is called
/// and nothing is made but this tree. Memory is bounded by the pickle's length.
///
/// Fails with CorruptData, naming the byte, if it is cut or takes what is not there; with
/// Unsupported for an opcode that those protocols do not write, and beyond 64 MiB or four million
/// values.
Result<PickleTree> readPickle(std::span<const std::byte> pickle);

/// Whether a file begins as a pickle of protocol 2 to 5 does, or as one of torch.save before 1.6.
bool looksLikePickle(std::span<const std::byte> file) noexcept;

}  // namespace strata
