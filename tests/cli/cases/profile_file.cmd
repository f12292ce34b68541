strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
printf 'mode = "exact"\neffort = "best"\n' > mine.toml
strata add sst2 $MODELS/tuned.safetensors --profile mine.toml -q >/dev/null
strata list --versions --columns name,version,profile,effort
strata add sst2 $MODELS/tuned2.safetensors --profile gone.toml; echo "exit $?"
