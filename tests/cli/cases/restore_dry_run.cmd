strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata restore base -o out.safetensors -n; ls
