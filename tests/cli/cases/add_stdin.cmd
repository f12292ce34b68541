strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add piped - < $MODELS/tuned.safetensors
strata restore piped -o - | cmp - $MODELS/tuned.safetensors && echo same
cat $MODELS/tuned.onnx | strata add graph - -q >/dev/null; strata show graph | grep -A1 Files
echo this is no model at all | strata add none -; echo "exit $?"
strata add none - $MODELS/tuned.safetensors; echo "exit $?"
ls .strata/partial 2>/dev/null | wc -l
strata list -q
