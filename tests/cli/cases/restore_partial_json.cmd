strata init -q >/dev/null
strata add run $MODELS/base.safetensors -q >/dev/null 2>&1
cp $MODELS/base.safetensors now.safetensors
strata restore run --partial 'head.*' -o now.safetensors --json --progress never
