#include "cli/program.h"
#include "core/memory.h"

int main(int count, char** words) {
  strata::keepFreedMemory();
  return strata::cli::runProgram({words + (count > 0 ? 1 : 0), words + count});
}
