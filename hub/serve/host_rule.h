#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace strata::hub {

/// Which `Host` headers a server answers. A page of the web can have its own name resolved to
/// 127.0.0.1 and then read from a server there what its visitor may read (DNS rebinding); the name
/// in the header gives it away.
class HostRule {
 public:
  /// `listen`: the address that the server is bound to; `names`: further ones of this machine.
  /// Bound to more than loopback and without names any header is fine: nobody knows the names.
  HostRule(std::string listen, std::vector<std::string> names);

  /// Whether a header's value is this server: a loopback name, `listen` or one of `names`, with any
  /// port. A request without the header, "", is of no browser and fine.
  bool allows(std::string_view header) const;

 private:
  bool checks_;
  std::vector<std::string> names_;  ///< lower case, without port and brackets
};

}  // namespace strata::hub
