# A remote that stands before a version is no version.
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata remote add stick file://$PWD/stick -q >/dev/null
try() { echo "$ strata $*" | sed "s|$PWD|.|g" >&2; strata "$@"; echo "exit $?"; }
try push stick base
try push file:///nowhere base
try push stick base file:///nowhere
try push base stick -q
try pull stick base
try pull base stick -q
# A model of that name is meant.
strata import $MODELS/tuned.onnx --name stick -q >/dev/null
try push stick base -n -q
