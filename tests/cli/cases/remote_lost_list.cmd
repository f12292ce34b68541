# The newest list of a remote is lost, cut or damaged: every command says so, and what it advises works.
strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C ours remote add stick file://$PWD/stick -q >/dev/null
strata -C ours push -q >/dev/null
strata -C ours add sst2 $MODELS/tuned.safetensors --base base --tag prod -q >/dev/null
strata -C ours push -q >/dev/null
try() { echo "$ strata $*" | sed "s|$PWD|.|g" >&2; strata -C ours "$@"; echo "exit $?"; }
rm stick/refs/00000000000000000002
try fetch
try push
try pull
try remove stick/base --yes
try remote gc --older-than 0m --yes
try remote verify
try push --repair -n
try push --repair
try remote verify
find stick/objects -type f | wc -l
# An emptied list.
: > stick/refs/00000000000000000003
try fetch
try remote verify --quick
try push --repair
try push
# A digit of a ref, in a list as earlier programs wrote it.
sed -i 's/"original_bytes":[0-9]/"original_bytes":7/; s/,"number":[0-9]*,"check":"[0-9a-f]*"//' stick/refs/00000000000000000004
try fetch
try push --repair
try remote verify
# An older list that is meant.
rm stick/refs/00000000000000000005 stick/refs/00000000000000000004 stick/refs/00000000000000000003
try fetch
try fetch --accept-older
try push
# Nobody has pushed there.
mkdir empty
strata clone file://$PWD/empty theirs; echo "exit $?"
strata -C ours remote add empty file://$PWD/empty -q >/dev/null
try fetch empty
try pull empty
ls empty theirs
