// libcurl brings some thirty libraries along, which would more than double the start of every
// command. Nothing links it: these functions of the same names load it at the first call and pass
// that on. Where it cannot be loaded, there are no handles, and curl_global_init() fails:
// HttpClient says so before it asks for anything else.

#include <curl/curl.h>
#include <dlfcn.h>

#include <cstdarg>

// The header's type checks of these three are macros.
#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_share_setopt

namespace {

void* loaded(const char* name) noexcept {
  static void* const kLibrary = ::dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  return kLibrary == nullptr ? nullptr : ::dlsym(kLibrary, name);
}

/// Calls the function of that name; `otherwise` is what comes of it without the library.
template <typename Result, typename... Parameters>
Result pass(const char* name, Result otherwise, Parameters... parameters) noexcept {
  using Function = Result (*)(Parameters...);
  const auto function = reinterpret_cast<Function>(loaded(name));
  return function == nullptr ? otherwise : function(parameters...);
}

template <typename... Parameters>
void passPlain(const char* name, Parameters... parameters) noexcept {
  using Function = void (*)(Parameters...);
  const auto function = reinterpret_cast<Function>(loaded(name));
  if (function != nullptr) function(parameters...);
}

/// The one argument of an option: a long, a pointer or a number of 64 bits, which all fill one
/// register.
void* optionOf(std::va_list arguments) noexcept {
  static_assert(sizeof(long) == sizeof(void*) && sizeof(curl_off_t) == sizeof(void*));
  return va_arg(arguments, void*);
}

/// Of functions whose arguments after the second are open.
template <typename Result, typename Handle, typename Option>
Result passOption(const char* name, Result otherwise, Handle handle, Option option,
                  void* argument) noexcept {
  using Function = Result (*)(Handle, Option, ...);
  const auto function = reinterpret_cast<Function>(loaded(name));
  return function == nullptr ? otherwise : function(handle, option, argument);
}

}  // namespace

extern "C" {

CURLcode curl_global_init(long flags) { return pass(__func__, CURLE_FAILED_INIT, flags); }
void curl_free(void* memory) { passPlain(__func__, memory); }

CURL* curl_easy_init() { return pass<CURL*>(__func__, nullptr); }
void curl_easy_cleanup(CURL* easy) { passPlain(__func__, easy); }
void curl_easy_reset(CURL* easy) { passPlain(__func__, easy); }
const char* curl_easy_strerror(CURLcode code) {
  return pass<const char*>(__func__, "libcurl.so.4 cannot be loaded", code);
}
CURLcode curl_easy_setopt(CURL* easy, CURLoption option, ...) {
  std::va_list arguments;
  va_start(arguments, option);
  void* const argument = optionOf(arguments);
  va_end(arguments);
  return passOption(__func__, CURLE_FAILED_INIT, easy, option, argument);
}
CURLcode curl_easy_getinfo(CURL* easy, CURLINFO info, ...) {
  std::va_list arguments;
  va_start(arguments, info);
  void* const argument = optionOf(arguments);
  va_end(arguments);
  return passOption(__func__, CURLE_FAILED_INIT, easy, info, argument);
}

CURLM* curl_multi_init() { return pass<CURLM*>(__func__, nullptr); }
CURLMcode curl_multi_cleanup(CURLM* multi) { return pass(__func__, CURLM_BAD_HANDLE, multi); }
CURLMcode curl_multi_add_handle(CURLM* multi, CURL* easy) {
  return pass(__func__, CURLM_BAD_HANDLE, multi, easy);
}
CURLMcode curl_multi_remove_handle(CURLM* multi, CURL* easy) {
  return pass(__func__, CURLM_BAD_HANDLE, multi, easy);
}
CURLMcode curl_multi_perform(CURLM* multi, int* running) {
  return pass(__func__, CURLM_BAD_HANDLE, multi, running);
}
CURLMcode curl_multi_poll(CURLM* multi, curl_waitfd* more, unsigned moreCount, int timeoutMs,
                          int* ready) {
  return pass(__func__, CURLM_BAD_HANDLE, multi, more, moreCount, timeoutMs, ready);
}
CURLMcode curl_multi_wakeup(CURLM* multi) { return pass(__func__, CURLM_BAD_HANDLE, multi); }
CURLMsg* curl_multi_info_read(CURLM* multi, int* left) {
  return pass<CURLMsg*>(__func__, nullptr, multi, left);
}

CURLSH* curl_share_init() { return pass<CURLSH*>(__func__, nullptr); }
CURLSHcode curl_share_cleanup(CURLSH* share) { return pass(__func__, CURLSHE_INVALID, share); }
CURLSHcode curl_share_setopt(CURLSH* share, CURLSHoption option, ...) {
  std::va_list arguments;
  va_start(arguments, option);
  void* const argument = optionOf(arguments);
  va_end(arguments);
  return passOption(__func__, CURLSHE_INVALID, share, option, argument);
}

curl_slist* curl_slist_append(curl_slist* list, const char* line) {
  return pass<curl_slist*>(__func__, nullptr, list, line);
}
void curl_slist_free_all(curl_slist* list) { passPlain(__func__, list); }

CURLU* curl_url() { return pass<CURLU*>(__func__, nullptr); }
void curl_url_cleanup(CURLU* url) { passPlain(__func__, url); }
CURLUcode curl_url_get(CURLU* url, CURLUPart part, char** text, unsigned flags) {
  return pass(__func__, CURLUE_BAD_HANDLE, url, part, text, flags);
}
CURLUcode curl_url_set(CURLU* url, CURLUPart part, const char* text, unsigned flags) {
  return pass(__func__, CURLUE_BAD_HANDLE, url, part, text, flags);
}
}
