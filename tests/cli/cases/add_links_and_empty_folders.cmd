strata init -q >/dev/null
mkdir -p model/sub/empty && cp $MODELS/base.safetensors model && echo '{}' >model/config.json
ln -s config.json model/link.json
strata add model
strata restore model -o back -q && find back | sort
