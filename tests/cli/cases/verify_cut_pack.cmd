strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
mkdir -p share && strata remote add hub file://$PWD/share >/dev/null && strata push hub -q >/dev/null
pack=$(strata show sst2 --json | python3 -c "import json,sys; print(json.load(sys.stdin)['packs'][0])")
file=.strata/objects/$(echo $pack | cut -c1-2)/$(echo $pack | cut -c3-)
chmod u+w $file && truncate -s 30 $file
strata verify --repair --from hub --progress never >/dev/null 2>&1; echo $?
strata verify --progress never; echo $?
mkdir -p other && strata push file://$PWD/other -q >/dev/null; echo $?
