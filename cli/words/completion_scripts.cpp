#include "cli/words/completion.h"

namespace strata::cli {
namespace {

// Bash breaks words at ':', so what stands before it is taken off the candidates again.
constexpr const char* kBash = R"bash(# bash completion for strata
_strata() {
  local current=${COMP_WORDS[COMP_CWORD]} line words candidate
  local -a typed
  read -ra typed <<<"${COMP_LINE:0:COMP_POINT}"
  case ${COMP_LINE:0:COMP_POINT} in *[[:space:]]) typed+=("") ;; esac
  local last=${typed[${#typed[@]}-1]} cut=""
  case $last in *:*) [[ $COMP_WORDBREAKS == *:* ]] && cut=${last%"${last##*:}"} ;; esac
  COMPREPLY=()
  while IFS= read -r line; do
    candidate=${line%%$'\t'*}
    case $candidate in
      :files) compopt -o filenames; mapfile -t words < <(compgen -f -- "$current") ;;
      :folders) compopt -o filenames; mapfile -t words < <(compgen -d -- "$current") ;;
      *) words=("${candidate#"$cut"}") ;;
    esac
    COMPREPLY+=("${words[@]}")
  done < <("${typed[0]}" __complete -- "${typed[@]:1}" 2>/dev/null)
}
complete -F _strata strata)bash";

// clang-format off: it takes the script's quotes for the end of the string.
constexpr const char* kZsh = R"zsh(#compdef strata
_strata() {
  local line candidate what
  local -a plain
  for line in ${(f)"$(${words[1]} __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
    candidate=${line%%$'\t'*}
    what=${line#*$'\t'}
    case $candidate in
      :files) _files ;;
      :folders) _files -/ ;;
      *) plain+=("${candidate//:/\\:}:${what}") ;;
    esac
  done
  (( ${#plain} )) && _describe strata plain
}
if [ "$funcstack[1]" = "_strata" ]; then _strata "$@"; else compdef _strata strata; fi)zsh";
// clang-format on

constexpr const char* kFish = R"fish(# fish completion for strata
function __strata_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] __complete -- $words[2..-1] 2>/dev/null)
    switch $line
      case ':files'
        __fish_complete_path (commandline -ct)
      case ':folders'
        __fish_complete_directories (commandline -ct)
      case '*'
        printf '%s\n' $line
    end
  end
end
complete -c strata -f -a '(__strata_complete)')fish";

}  // namespace

std::string completionScript(const std::string& shell) {
  if (shell == "zsh") return kZsh;
  return shell == "fish" ? kFish : kBash;
}

}  // namespace strata::cli
