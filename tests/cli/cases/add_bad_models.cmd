strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
for file in cut.safetensors empty.onnx text.onnx long-header.safetensors escape.onnx missing-data.onnx gone.onnx; do
  strata add x $MODELS/bad/$file
  echo "exit $?"
done 2>&1
strata add x $MODELS/tuned.safetensor; echo "exit $?"
strata list -q; strata verify -q
