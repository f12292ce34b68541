strata init -q >/dev/null && strata import $EXAMPLES/base.safetensors --name base -q >/dev/null
strata tune $EXAMPLES/rotated.safetensors --base base --profile small --estimate | sed -E 's/[0-9]+\.[0-9]{3}/N/g'; echo "exit ${PIPESTATUS[0]}"
strata tune $EXAMPLES/rotated.safetensors --base base --profile small --estimate --save x; echo "exit $?"
strata tune $EXAMPLES/rotated.safetensors --base base --target size=1MB --sample 1MB; echo "exit $?"
strata tune $EXAMPLES/rotated.safetensors --base base --estimate --sample lots; echo "exit $?"
strata list -q
# What is worse than the base itself is said, as add says it.
strata tune $EXAMPLES/noisy-lora.safetensors --base base --profile small --estimate 2>&1 >/dev/null | sed -E 's/[0-9]+\.[0-9]{3}/N/g'; echo "exit ${PIPESTATUS[0]}"
