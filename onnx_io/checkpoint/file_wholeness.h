#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace strata {

/// Why a file of a trainer cannot be whole; empty where nothing says so. `path` tells what it
/// should be. Looked at are: a safetensors file whose tensors end elsewhere than the file, a zip
/// archive (`.pt`, `.ckpt`) without its end record, one of torch.save without a storage that
/// its pickle names or with one that is too short, a pickle without its end, a file without bytes,
/// and one that begins with zeros because the machine went down before its bytes were on the disk.
/// Any bytes are safe.
std::string brokenBecause(std::string_view path, std::span<const std::byte> bytes);

/// Why a file that is whole by that may still be damaged; empty where nothing speaks for it. Reads
/// all of it. Looked at are members of archives that do not have the checksum that is said of them
/// (PyTorch looks at none, and can be told to write none), and of a safetensors file zeros at its
/// end that begin within a row of a weight, and weights that are NaN.
std::string doubtfulBecause(std::string_view path, std::span<const std::byte> bytes);

}  // namespace strata
