strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata gc
mkdir -p .strata/objects/aa
printf left > .strata/objects/aa/bbccddeeff00112233445566778899aabbccddeeff00112233445566778899
strata gc
strata gc --yes --dry-run -q
strata gc --yes
strata gc --yes --json
