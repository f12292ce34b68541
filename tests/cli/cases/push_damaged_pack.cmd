# A pack that is damaged here cannot be sent: what verify names brings it back, then the push goes on.
strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C ours remote add stick file://$PWD/stick -q >/dev/null
pack=$(find ours/objects -type f -size +1k | xargs ls -S | head -1)
chmod u+w $pack && printf x | dd of=$pack bs=1 seek=100 conv=notrunc status=none
try() { echo "$ strata $*" >&2; strata -C ours "$@"; echo "exit $?"; }
try push
strata -C ours verify >/dev/null 2>&1; echo "exit $?"
try import $MODELS/base.safetensors --name base -q
try transfer resume
try remote verify
