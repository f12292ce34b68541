#include <csignal>

#include "cli/program.h"
#include "core/memory.h"

int main(int count, char** words) {
  std::signal(SIGXFSZ, SIG_IGN);  // writes beyond `ulimit -f` fail as on a full disk
  strata::keepFreedMemory();
  return strata::cli::runProgram({words + (count > 0 ? 1 : 0), words + count});
}
