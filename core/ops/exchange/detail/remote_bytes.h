#pragma once

#include <functional>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/progress.h"
#include "core/transfer/transport.h"

namespace strata {

/// What is wrong with objects, as in "does not match its hash", by digest.
using ObjectProblems = std::map<Digest, std::string>;

/// Takes the bytes of a sound object that is no pack. Called from several threads.
using ObjectTaker = std::function<void(const RemoteObject&, std::span<const std::byte>)>;

/// Reads objects of a remote and hashes them; `parallel` at once, without keeping their bytes. One
/// that is wrong is read twice. Problems are those of objects that are missing, unreadable or
/// others than their names say. Fails with what else Transport::get fails with.
Result<ObjectProblems> readBack(Transport& remote, std::span<const RemoteObject> objects,
                                unsigned parallel, const std::stop_token& stop,
                                const ProgressSink& progress, const ObjectTaker& take = {});

}  // namespace strata
