#include "hub/credentials/keychain.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <libsecret/secret.h>
#include <unistd.h>

#include <cstdlib>

namespace strata::hub {
namespace {

const SecretSchema kSchema = {"org.strata.Credential",
                              SECRET_SCHEMA_NONE,
                              {{"service", SECRET_SCHEMA_ATTRIBUTE_STRING},
                               {"host", SECRET_SCHEMA_ATTRIBUTE_STRING},
                               {"remote", SECRET_SCHEMA_ATTRIBUTE_STRING},
                               {nullptr, SECRET_SCHEMA_ATTRIBUTE_STRING}},
                              0,
                              nullptr,
                              nullptr,
                              nullptr,
                              nullptr,
                              nullptr,
                              nullptr,
                              nullptr};

/// Without a session bus libsecret would try to start one, which takes long and helps nobody.
bool hasSessionBus() {
  if (std::getenv("DBUS_SESSION_BUS_ADDRESS") != nullptr) return true;
  const char* const folder = std::getenv("XDG_RUNTIME_DIR");
  return folder != nullptr && ::access((std::string(folder) + "/bus").c_str(), F_OK) == 0;
}

/// The functions of libsecret. Loaded, not linked: the program must run, and start fast, without.
struct Library {
  decltype(&secret_password_lookup_sync) lookup = nullptr;
  decltype(&secret_password_store_sync) store = nullptr;
  decltype(&secret_password_clear_sync) clear = nullptr;
  decltype(&secret_password_free) release = nullptr;
  decltype(&g_error_free) releaseError = nullptr;

  bool isLoaded() const noexcept { return releaseError != nullptr; }
};

template <typename Function>
bool load(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, symbol));
  return function != nullptr;
}

const Library& library() {
  static const Library kLibrary = [] {
    Library found;
    if (!hasSessionBus()) return found;
    void* const handle = ::dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
    const bool isWhole = handle != nullptr &&
                         load(handle, "secret_password_lookup_sync", found.lookup) &&
                         load(handle, "secret_password_store_sync", found.store) &&
                         load(handle, "secret_password_clear_sync", found.clear) &&
                         load(handle, "secret_password_free", found.release) &&
                         load(handle, "g_error_free", found.releaseError);
    return isWhole ? found : Library{};
  }();
  return kLibrary;
}

/// An error that libsecret may set.
class Failure {
 public:
  ~Failure() {
    if (error_ != nullptr) library().releaseError(error_);
  }
  GError** place() noexcept { return &error_; }
  bool happened() const noexcept { return error_ != nullptr; }
  std::string text() const { return error_ != nullptr ? error_->message : "it refused"; }

 private:
  GError* error_ = nullptr;
};

}  // namespace

bool Keychain::isThere() {
  if (!library().isLoaded()) return false;
  Failure failure;
  gchar* const nothing =
      library().lookup(&kSchema, nullptr, failure.place(), "service", "none", nullptr);
  if (nothing != nullptr) library().release(nothing);
  return !failure.happened();
}

std::optional<std::string> Keychain::find(const KeychainEntry& entry) {
  if (!library().isLoaded()) return std::nullopt;
  Failure failure;
  gchar* const found =
      library().lookup(&kSchema, nullptr, failure.place(), "service", entry.service.c_str(), "host",
                       entry.host.c_str(), "remote", entry.remote.c_str(), nullptr);
  if (found == nullptr) return std::nullopt;
  std::string secret(found);
  library().release(found);
  return secret;
}

Result<void> Keychain::save(const KeychainEntry& entry, const std::string& secret) {
  if (!library().isLoaded()) return fail(ErrorCode::Unsupported, "there is no keychain here");
  Failure failure;
  const std::string label = fmt::format("Strata {}://{}{}{}", entry.service, entry.host,
                                        entry.remote.empty() ? "" : " ", entry.remote);
  const gboolean isStored =
      library().store(&kSchema, SECRET_COLLECTION_DEFAULT, label.c_str(), secret.c_str(), nullptr,
                      failure.place(), "service", entry.service.c_str(), "host", entry.host.c_str(),
                      "remote", entry.remote.c_str(), nullptr);
  if (isStored) return {};
  return fail(ErrorCode::Unsupported, "keychain: " + failure.text());
}

bool Keychain::remove(const KeychainEntry& entry) {
  if (!library().isLoaded()) return false;
  Failure failure;
  return library().clear(&kSchema, nullptr, failure.place(), "service", entry.service.c_str(),
                         "host", entry.host.c_str(), "remote", entry.remote.c_str(),
                         nullptr) != FALSE;
}

}  // namespace strata::hub
