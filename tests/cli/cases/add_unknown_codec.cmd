strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
for codec in same zstdview; do strata add sst2 $MODELS/tuned.safetensors --codec $codec; echo "exit $?"; done
strata add sst2 $MODELS/tuned.safetensors --codec nonsense
