strata init -q >/dev/null && strata import $EXAMPLES/base.safetensors --name base -q >/dev/null
error() { sed -E "s/[0-9]+\.[0-9]{3}/N/"; }
strata add far $EXAMPLES/rotated.safetensors --base base --step 32 2>&1 | error
strata add near $EXAMPLES/rotated.safetensors --base base --max-error 0.05 2>/dev/null | grep -c "^  error   0\.0"
strata add fit $EXAMPLES/rotated.safetensors --base base --max-size 3kB 2>&1 | grep "no change" | error
