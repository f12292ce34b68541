# A lossy version is asked for by its size alone, and the exact one has no more.
strata init -q >/dev/null && strata import $EXAMPLES/base.safetensors --name base -q >/dev/null
strata add fit $EXAMPLES/rotated.safetensors --base base --max-size 1MB --trials 3 2>&1 | grep "exact version"
strata add small $EXAMPLES/rotated.safetensors --base base --max-size 3kB --trials 3 2>&1 | grep "small enough"
echo "- the advice works"
strata add same $EXAMPLES/rotated.safetensors --base base 2>/dev/null | grep exact:
