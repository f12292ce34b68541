strata init -q
strata import $EXAMPLES/base.safetensors --name digits -q >/dev/null
strata add rotated $EXAMPLES/rotated.safetensors -q >/dev/null
strata list --versions --columns ref,checked
strata list --versions --filter 'checked<2000-01-01' -q
strata verify --quick -q
strata list --versions --filter 'checked<2000-01-01' -q
strata verify -q
strata list --versions --filter 'checked<2000-01-01' -q
strata list --versions --columns ref,checked
strata show rotated | grep checked
strata list --filter 'unchecked>30'
strata info --json | grep -o .\"unchecked_versions\":[0-9]*
