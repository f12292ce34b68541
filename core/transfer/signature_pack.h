#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "core/transfer/remote_version.h"

namespace strata {

/// Most bytes of an object with signatures that a reader takes. Writers end one far below: who
/// pulls a single version fetches all of it.
inline constexpr std::size_t kMaxSignaturePackBytes = std::size_t{1} << 20U;

/// Signatures of many versions as objects of a remote, by their digests.
using SignaturePacks = std::map<Digest, std::string>;

/// Moves the signatures that the refs of these versions hold into objects, and gives each version
/// its place there. Versions without a signature in their refs stay as they are. The same versions
/// in the same order give the same objects.
SignaturePacks packSignatures(std::span<RemoteVersion* const> versions);

}  // namespace strata
