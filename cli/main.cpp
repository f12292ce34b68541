#include "cli/program.h"
#include "core/memory.h"
#include "hub/credentials/credentials.h"

int main(int count, char** words) {
  strata::keepFreedMemory();
  strata::hub::guardEnvironmentSecrets();
  return strata::cli::runProgram({words + (count > 0 ? 1 : 0), words + count});
}
