cp -r $MODELS/run run-of-mine # a watcher makes links of files, which others read meanwhile
strata init -q >/dev/null
strata watch run-of-mine --run run --once -q >/dev/null
strata snapshot run $EXAMPLES/../tests/data/pytorch/1.13/step-3.ckpt -q >/dev/null
strata snapshot run $EXAMPLES/../tests/data/pytorch/1.13/step-4.ckpt -q >/dev/null
strata prune run --keep-optimizer 0 --json; test $? = 3
