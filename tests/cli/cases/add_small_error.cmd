strata init -q >/dev/null && strata import $EXAMPLES/base.safetensors --name base -q >/dev/null
for error in 0.01 0.001 0.0005 0.000001; do
  strata add x $EXAMPLES/rotated.safetensors --base base --max-error $error -n --json 2>/dev/null | tail -1 | python3 -c "import json, sys; print(json.load(sys.stdin)['relative_error'] <= $error)"
done
strata add x $EXAMPLES/rotated.safetensors --base base --max-error 0.0005 --codec levels 2>&1 | grep -oE "nothing reached .* found" | sed -E 's/0\.[0-9]{3,} is/N is/'
strata add x $EXAMPLES/rotated.safetensors --base base --max-error 0; echo "exit $?"
strata tune $EXAMPLES/rotated.safetensors --base base --target error=0; echo "exit $?"
for model in rotated rotated-bf16 mirrored noisy-lora; do
  base=base; [ $model = rotated-bf16 ] && base=base-bf16
  strata import $EXAMPLES/$base.safetensors --name $base -q >/dev/null
  strata add $model $(ls -d $EXAMPLES/$model* | grep -E "/$model(\.safetensors)?$") --base $base --profile safe -n --json 2>/dev/null | tail -1 | python3 -c "import json, sys; print('safe', json.load(sys.stdin)['relative_error'] < 0.9)"
done
