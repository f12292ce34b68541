#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace strata {

/// Why a file of a trainer cannot be whole; empty where nothing says so. `path` tells what it
/// should be. Looked at are: a safetensors file whose tensors end elsewhere than the file, a zip
/// archive (`.pt`, `.ckpt`) without its end record, a pickle without its end, a file without bytes,
/// and one that begins with zeros because the machine went down before its bytes were on the disk.
/// Any bytes are safe.
std::string brokenBecause(std::string_view path, std::span<const std::byte> bytes);

}  // namespace strata
