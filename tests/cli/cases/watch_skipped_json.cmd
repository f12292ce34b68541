strata init -q >/dev/null
mkdir out && cp -r $MODELS/run/checkpoint-10 out/
cp -r out/checkpoint-10 out/checkpoint-20
sed -i 's/"global_step": 10/"global_step": 20/' out/checkpoint-20/trainer_state.json
strata watch out --run run --once --trigger drift=1 --json --progress never
strata snapshot run out/checkpoint-20 --trigger drift=1 --json --progress never
