# A remote never lies inside a store.
strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C other init -q >/dev/null
ln -s other/objects way
here=file://$PWD
try() { echo "$ strata $*" | sed "s|$PWD|.|g" >&2; strata "$@"; echo "exit $?"; }
try -C ours remote add bad $here/ours
try -C ours remote add bad $here/other/refs/x
try -C ours remote add bad $here/way/x
try -C ours push $here/other/tmp
try -C ours push $here/ours/trash/q
try clone $here/other copy
strata -C ours remote add stick $here/share/models -q >/dev/null
try -C ours remote set stick $here/other/refs
find other ours -name strata.json
# A share that is not mounted is an empty folder, or none.
strata -C ours push -q >/dev/null
mv share away && mkdir -p share/models
try -C ours push
try -C ours push -n
try -C ours push --repair
try -C ours fetch
try -C ours pull
try -C ours remote verify
rm -r share
strata -C ours remote rename stick disk -q
try -C ours push
strata -C ours remote rename disk stick -q
test -e share || echo "no share was made"
mv away share
try -C ours push
rm -r share
try -C ours push --create -n
try -C ours push --create
try -C ours push
