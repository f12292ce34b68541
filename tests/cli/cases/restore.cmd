strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata restore sst2 -o out.safetensors
cmp out.safetensors $MODELS/tuned.safetensors
strata restore base -o out.safetensors; echo "exit $?"
strata restore base -o out.safetensors --backup -q
ls; cmp out.safetensors.bak $MODELS/tuned.safetensors
strata restore sst2 -o out.safetensors --force --no-verify
cmp out.safetensors $MODELS/tuned.safetensors
mkdir folder; strata restore sst2 -o folder; ls folder
