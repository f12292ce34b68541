#include "cli/views/sharers.h"

#include <fmt/format.h>
#include <grp.h>
#include <sys/stat.h>

#include "core/text/command_words.h"

namespace strata::cli {

void noteSharers(Output& output, const std::filesystem::path& storeFolder) {
  struct stat info {};
  if (::stat(storeFolder.c_str(), &info) != 0) return;
  const group* const found = ::getgrgid(info.st_gid);
  output.advice(fmt::format(
      "Its group may write: {}. For another one: chgrp GROUP {} && strata config set shared group "
      "--in-store",
      found == nullptr ? fmt::format("group {}", info.st_gid) : std::string(found->gr_name),
      shellWord(storeFolder.string())));
}

}  // namespace strata::cli
