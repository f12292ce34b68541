strata init -q >/dev/null && strata import $EXAMPLES/base.safetensors --name base -q >/dev/null
strata tune $EXAMPLES/rotated.safetensors --base base --step 1.4 --estimate --json 2>/dev/null
