strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata tune $MODELS/tuned.safetensors --base base --target quality_loss=0.5; echo "exit $?"
strata tune $MODELS/tuned.safetensors --base base --target loss=1; echo "exit $?"
strata tune $MODELS/tuned.safetensors --base base --evaluator no-such-evaluator; echo "exit $?"
strata add x $MODELS/tuned.safetensors --base base --max-size 10 >/dev/null 2>&1; echo "exit $?"
strata list -q
