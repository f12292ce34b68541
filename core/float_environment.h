#pragma once

#include <cfenv>

namespace strata {

/// Rounding to nearest, subnormals and no traps on this thread while it lives, whatever a host
/// process has set; then as before. Encoders and decoders compute under it, so that the bits do not
/// depend on who calls them. Costs well below a microsecond.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() noexcept {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&saved_); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  std::fenv_t saved_;
};

}  // namespace strata
