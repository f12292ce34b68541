# Headers that almost every file includes: a library parses them once, not for each file. Files still
# include what they use; the sanitized builds, which go without this, see to it.
option(STRATA_PRECOMPILE "Parse common headers once for each library" ON)
set(STRATA_COMMON_HEADERS <algorithm> <array> <chrono> <filesystem> <fstream> <functional> <map> <memory>
  <optional> <set> <span> <sstream> <string> <string_view> <thread> <unordered_map> <utility> <variant>
  <vector> <fmt/format.h> <tl/expected.hpp>)

function(strata_precompile_headers target)
  if(STRATA_PRECOMPILE AND NOT STRATA_SANITIZE)
    target_precompile_headers(${target} PRIVATE ${STRATA_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()
