#pragma once

#include <sqlite3.h>
#include <tl/expected.hpp>
