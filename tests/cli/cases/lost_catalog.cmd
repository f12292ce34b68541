strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
rm .strata/catalog.sqlite*
strata list; echo "exit $?"
strata verify --rebuild-catalog
strata list -q
strata verify --rebuild
