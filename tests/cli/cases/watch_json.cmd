strata init -q >/dev/null
strata watch $MODELS/run --run run --once --keep-optimizer 1 --json --progress never; test $? = 3
