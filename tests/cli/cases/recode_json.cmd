strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base --raw -q >/dev/null
strata recode base --json --progress never
