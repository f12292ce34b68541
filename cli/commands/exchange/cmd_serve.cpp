#include <fmt/format.h>

#include <charconv>
#include <mutex>

#include "cli/context.h"
#include "cli/words/command.h"
#include "core/text/wording.h"
#include "hub/credentials/secret_file.h"
#include "hub/http/url.h"
#include "hub/serve/model_server.h"

namespace strata::cli {
namespace {

constexpr const char* kTokenVariable = "STRATA_SERVE_TOKEN";

struct Address {
  std::string host;
  std::uint16_t port = 0;
};

/// Advice that always works.
constexpr const char* kFreePort = "strata serve --listen 127.0.0.1:0";

/// "127.0.0.1:8321", "[::1]:8321", "myhost:0".
Attempt<Address> readAddress(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  Address address;
  if (colon != std::string::npos) {
    address.host = text.substr(0, colon);
    const char* const end = text.data() + text.size();
    const auto [stopped, status] = std::from_chars(text.data() + colon + 1, end, address.port);
    if (address.host.starts_with('[') && address.host.ends_with(']')) {
      address.host = address.host.substr(1, address.host.size() - 2);
    } else if (address.host.find(':') != std::string::npos) {
      address.host.clear();
    }
    if (status == std::errc{} && stopped == end && !address.host.empty()) return address;
  }
  return usage(fmt::format("--listen: \"{}\" is not HOST:PORT, with a port of 0 to 65535", text),
               kFreePort);
}

class ServeCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .usage = "serve [--listen HOST:PORT] [--token-file FILE]",
        .summary = "Let Hugging Face tools download the stored models from here, read-only.",
        .examples = {"serve", "serve --listen 127.0.0.1:0 -q",
                     "serve --listen 0.0.0.0:8321 --token-file ~/serve.token"},
        .details =
            "Models are restored while they are sent. Downloads work with "
            "HF_ENDPOINT=http://127.0.0.1:8321, and from http://127.0.0.1:8321/NAME/resolve/"
            "REVISION/FILE; revisions are main, v3, tags and commits. With a token in "
            "STRATA_SERVE_TOKEN or --token-file, clients must bring it: HF_TOKEN. Ctrl-C ends "
            "the server. On a loopback address it answers to loopback names and those of --host "
            "only. So no page of the web reads from it under a name of its own."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "--listen",
                   .target = &listen_,
                   .value = "HOST:PORT",
                   .help = "where to (127.0.0.1:8321); port 0 takes a free one"});
    arguments.add({.spelling = "--host",
                   .target = &hostNames_,
                   .value = "NAME",
                   .help = "a name that clients may call this machine by; may be repeated"});
    arguments.add({.spelling = "--token-file",
                   .target = &tokenFile_,
                   .value = "FILE",
                   .help = "a token that clients must bring, mode 0600",
                   .completes = Completes::Files});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    STRATA_ATTEMPT(const Address address, readAddress(listen_));
    hub::ServeOptions options{.host = address.host,
                              .port = address.port,
                              .hostNames = hostNames_,
                              .memoryBytes = context.config().byteCount("memory") / 2};
    STRATA_ATTEMPT(options.token, token());
    Output& output = context.output();
    const bool isVerbose = context.global().verbosity > 0;
    std::mutex writing;  // one line at a time
    const auto log = [&](const hub::WebLogEntry& entry) {
      if (entry.failure.empty() && !isVerbose) return;
      const std::lock_guard lock(writing);
      const std::string line = printable(logLine(entry));
      entry.failure.empty() ? output.note(line) : output.warning(line);
    };
    const std::stop_token stop = context.stopToken();
    auto server = hub::ModelServer::bind(*store, options, log);
    if (!server) return problem({std::move(server).error(), kFreePort});
    announce(output, **server, options);
    if (auto served = (*server)->run(stop); !served) return problem(std::move(served).error());
    return ExitCode::Done;
  }

 private:
  Attempt<std::string> token() const {
    const std::string variable = environment(kTokenVariable);
    if (tokenFile_.empty() && variable.empty()) return std::string();
    auto read = tokenFile_.empty() ? hub::cleanToken(variable, kTokenVariable)
                                   : hub::readTokenFile(tokenFile_);
    if (read) return *std::move(read);
    Problem cause(std::move(read).error());
    cause.adviceByCode = false;  // about stored models
    return problem(std::move(cause));
  }

  /// Neither queries nor headers: they may hold secrets.
  static std::string logLine(const hub::WebLogEntry& entry) {
    std::string line = fmt::format("{} {} {} {} {}", entry.client, entry.method, entry.path,
                                   entry.status, wordBytes(entry.sentBytes));
    if (!entry.failure.empty()) line += "  broken off: " + entry.failure;
    return line;
  }

  static void announce(Output& output, const hub::ModelServer& server,
                       const hub::ServeOptions& options) {
    if (!hub::isLoopbackHost(options.host) && options.token.empty()) {
      output.warning(fmt::format(
          "everybody who reaches {} can download all models; --token-file asks for a token",
          options.host));
    }
    output.event("listening", {{"url", server.url()}, {"token", !options.token.empty()}});
    output.essential(server.url());
    output.line("Serving at " + server.url());
    output.line(fmt::format("  HF_ENDPOINT={} hf download NAME", server.url()));
    output.note("Ctrl-C ends it.");
    std::fflush(stdout);
  }

  std::string listen_ = "127.0.0.1:8321";
  std::vector<std::string> hostNames_;
  std::string tokenFile_;
};

}  // namespace

std::unique_ptr<Command> makeServe() { return std::make_unique<ServeCommand>(); }

}  // namespace strata::cli
