strata init -q >/dev/null
strata import $MODELS/base.safetensors --name base --license MIT --source https://example.org/base -m "first base" --tag stable
strata show base
