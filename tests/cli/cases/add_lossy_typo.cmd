strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add x $MODELS/tuned.safetensors --base base --step 1 --protect-tensor 'head*' --protect-tensor 'typo*'; echo "exit $?"
strata tune $MODELS/tuned.safetensors --base base --target size=1MB --protect-tensor 'typo*'; echo "exit $?"
strata add x $MODELS/tuned.safetensors --base bas; echo "exit $?"
strata add x $MODELS/tuned.safetensors --base t; echo "exit $?"
strata list -q
