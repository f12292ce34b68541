#pragma once

#include <memory>

#include "cli/words/command.h"

namespace strata::cli {

std::unique_ptr<Command> makeTransferList();
std::unique_ptr<Command> makeTransferResume();
std::unique_ptr<Command> makeTransferRemove();

}  // namespace strata::cli
