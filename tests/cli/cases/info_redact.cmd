# For bug reports: no place of a folder, in the home folder or elsewhere.
mkdir -p "$HOME/mine" else; strata init else/where -q; strata init "$HOME/mine" -q
strata -C else/where info --redact | grep store; strata -C "$HOME/mine" info --redact | grep store
strata -C else/where info --redact --json | grep -c "$PWD"
