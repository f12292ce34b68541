#include "cli/program.h"

int main(int count, char** words) {
  return strata::cli::runProgram({words + (count > 0 ? 1 : 0), words + count});
}
