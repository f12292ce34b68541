#pragma once

#include <vector>

#include "core/store/second.h"
