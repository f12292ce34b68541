strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata push file://$PWD/stick -q
rm $(find .strata/objects -type f | sort | head -1)
strata verify >/dev/null 2>&1; echo $?
strata verify --repair --from file://$PWD/stick --progress never
strata verify --repair --from file://$PWD/stick --progress never
strata verify --repair --quick; echo $?
