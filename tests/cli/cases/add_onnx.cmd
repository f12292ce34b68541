strata init -q >/dev/null
strata import $MODELS/base.onnx --name base -q >/dev/null
strata add tuned $MODELS/tuned.onnx
strata restore tuned -o - | cmp - $MODELS/tuned.onnx
