strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors --base base --tag prod -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors --base nosuch; echo "exit $?"
strata add sst2 $MODELS/tuned.safetensors --codec foo; echo "exit $?"
strata add sst2 $MODELS/tuned.safetensors -m "passed review" --tag best
strata add sst2 $MODELS/tuned.safetensors -m "passed twice" --base none --effort best --chain
strata add sst2 $MODELS/tuned2.safetensors --tag prod
strata show sst2:v1 | grep -E "tags|note"
strata import $MODELS/other.safetensors --name other -q >/dev/null
strata add sst2 $MODELS/tuned2.safetensors --base other
