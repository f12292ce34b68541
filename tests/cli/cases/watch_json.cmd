cp -r $MODELS/run run-of-mine # a watcher makes links of files, which others read meanwhile
strata init -q >/dev/null
strata watch run-of-mine --run run --once --keep-optimizer 1 --json --progress never; test $? = 3
