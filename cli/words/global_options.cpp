#include "cli/context.h"

namespace strata::cli {

void GlobalOptions::declare(Arguments& arguments) {
  arguments.add({.spelling = "-C,--store",
                 .target = &store,
                 .value = "DIR",
                 .help = "the store's folder",
                 .completes = Completes::Folders});
  arguments.add({.spelling = "--json", .target = &json, .help = "results for programs"});
  arguments.add({.spelling = "-q,--quiet",
                 .target = &quiet,
                 .help = "print the essential value only: a hash or a path"});
  arguments.add({.spelling = "-v,--verbose", .target = &verbosity, .help = "more detail"});
  arguments.add({.spelling = "--color",
                 .target = &colour,
                 .value = "WHEN",
                 .help = "auto, always or never",
                 .choices = {"auto", "always", "never"}});
  arguments.add({.spelling = "--progress",
                 .target = &progress,
                 .value = "WHEN",
                 .help = "auto, always or never",
                 .choices = {"auto", "always", "never"}});
  arguments.add({.spelling = "-y,--yes", .target = &yes, .help = "confirm what would be lost"});
  arguments.add({.spelling = "--no-input", .target = &noInput, .help = "never ask"});
  arguments.add({.spelling = "--offline", .target = &offline, .help = "never use the network"});
  arguments.add({.spelling = "-j,--jobs",
                 .target = &jobs,
                 .value = "N",
                 .help = "threads; 0 takes all cores"});
  arguments.add({.spelling = "--memory",
                 .target = &memory,
                 .value = "SIZE",
                 .help = "ceiling of working memory, such as 512MB"});
  arguments.add({.spelling = "--device",
                 .target = &device,
                 .value = "NAME",
                 .help = "auto, cpu or cuda, which fails where there is no work for a GPU",
                 .choices = {"auto", "cpu", "cuda"}});
  arguments.add({.spelling = "--wait",
                 .target = &wait,
                 .value = "SECONDS",
                 .help = "for another program that writes to the store; 0: not at all"});
  arguments.add({.spelling = "--config",
                 .target = &configFile,
                 .value = "FILE",
                 .help = "settings instead of the user's file",
                 .completes = Completes::Files});
  arguments.add({.spelling = "-h,--help", .target = &help, .help = "what the command does"});
  arguments.add({.spelling = "--version", .target = &version, .help = "the program's version"});
}

}  // namespace strata::cli
