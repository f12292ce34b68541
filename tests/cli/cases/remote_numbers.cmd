# A number that a remote gave is not given to another model here; a pull or the network is not needed.
for s in ours theirs; do
  strata -C $s init -q >/dev/null && strata -C $s import $MODELS/base.safetensors --name base -q >/dev/null
  strata -C $s remote add stick file://$PWD/stick -q >/dev/null
done
try() { echo "$ strata $*" | sed "s|$PWD|.|g" >&2; strata -C ours "$@"; echo "exit $?"; }
strata -C theirs add m $MODELS/tuned.safetensors --base base -q >/dev/null
strata -C theirs push -q >/dev/null
# Before a fetch nobody can know: m:v1 becomes two models, and the push says what is what.
try add m $MODELS/tuned.onnx --base none -q
try push -q
try push --renumber
try push
try list --quiet
# It is one step, which undo takes back, and another push goes on.
try undo
try push
strata -C ours push --renumber --json --progress never 2>/dev/null | grep -o '"renumbered":[^]]*\]' | sed 's/"other":"[0-9a-f]*"/"other":"HASH"/'
# After a fetch it is known.
strata -C theirs add other $MODELS/tuned.safetensors --base base -q >/dev/null
strata -C theirs push other -q >/dev/null
mv stick away
strata -C ours add other $MODELS/tuned.onnx -n --json --progress never 2>/dev/null | grep -o "\"ref\":\"other:v[0-9]*\""
mv away stick
try fetch -q
mv stick away
strata -C ours add other $MODELS/tuned.onnx -n --json --progress never 2>/dev/null | grep -o "\"ref\":\"other:v[0-9]*\""
strata -C ours undo -q >/dev/null
try rename m other
mv away stick
