#include "cli/run_tool.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "core/io/os_error.h"

namespace strata::cli {

Result<int> runTool(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int refused =
      ::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (refused != 0) return fail(osError(words.front(), "run", refused));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return fail(osError(words.front(), "wait for", errno));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace strata::cli
