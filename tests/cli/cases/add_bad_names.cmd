strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
for name in '' a//b .hidden '../x' "$(printf 'n%.0s' {1..300})" $'\xff\xfe' 'with space'; do
  strata add "$name" $MODELS/tuned.safetensors
  echo "exit $?"
done 2>&1
strata list -q
