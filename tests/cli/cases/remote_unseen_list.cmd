# A store mends a list that it had not seen: remote gc keeps what only that list may have named.
strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C ours remote add stick file://$PWD/stick -q >/dev/null
strata -C ours push -q >/dev/null
strata clone file://$PWD/stick theirs -q >/dev/null
strata -C ours add sst2 $MODELS/tuned.safetensors --base base -q >/dev/null
strata -C ours push -q >/dev/null
: > stick/refs/00000000000000000002
try() { store=$1; shift; echo "$ strata $*" | sed "s|$PWD|.|g" >&2; strata -C $store "$@"; echo "exit $?"; }
sent() { sed 's/sent [-0-9: ]* to [-0-9: ]*:/sent <DATE>:/'; }
try theirs push --repair
try theirs remote gc --older-than 0m --yes 2>&1 | sent
try theirs remote gc --older-than 0m --accept-lost -n 2>&1 | grep -o "Would free 3 objects"
find stick/objects -type f | wc -l
try ours push
try ours push --repair
try theirs remote gc --older-than 0m --yes
find stick/objects -type f | wc -l
