#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"
#include "cli/problem.h"
#include "cli/words/arguments.h"
#include "core/transfer/remote_config.h"

namespace strata::cli {

/// Looks at each word of a command that may be a reference, before the command runs. Refuses one
/// that could mean a version of this store and one of a remote. The ':' before the former is taken
/// off, but for commands that read `REMOTE/REF` themselves (remote_access.h).
Outcome settleReferences(Context& context, std::string_view command, const Arguments& arguments);

/// A reference or pattern for versions of this store, as advice spells it: with a ':' where it
/// might mean a remote's.
std::string plainWord(Context& context, const std::string& word);

/// The remotes of the store, for telling which of `words` are theirs. Those that no remote could be
/// meant by need no list, so one that cannot be read is no reason to fail then. Fails as
/// RemoteList::load.
Result<RemoteList> remotesFor(const std::filesystem::path& storeFolder,
                              const std::vector<std::string>& words);

/// A line on stderr if a stored name is that of a remote, or begins with it.
void warnOfAlikeRemote(Context& context, const std::string& name);
/// The same of a remote's name that a stored name is, or begins with.
void warnOfAlikeNames(Context& context, const std::string& remote);

}  // namespace strata::cli
