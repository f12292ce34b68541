strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
for ref in nobody sst2:v9 sst2:prod sst2~4 @00000000 @12 'a b' sst2:v0; do
  strata show "$ref"; echo "exit $?"
done 2>&1
