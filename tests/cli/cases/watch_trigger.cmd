strata init -q >/dev/null
mkdir out && cp -r $MODELS/run/checkpoint-10 out/
echo "- the same weights again, then others"
cp -r out/checkpoint-10 out/checkpoint-20
sed -i 's/"global_step": 10/"global_step": 20/' out/checkpoint-20/trainer_state.json
cp -r out/checkpoint-20 out/checkpoint-30
sed -i 's/"global_step": 20/"global_step": 30/' out/checkpoint-30/trainer_state.json
cp $MODELS/tuned2.safetensors out/checkpoint-30/model.safetensors
strata watch out --run run --once --trigger drift=0.0001; echo "exit $?"
echo "- a new watcher skips the same"
strata watch out --run run --once --trigger drift=0.0001; echo "exit $?"
strata list --versions run
echo "- where the last one is skipped, that is said"
strata watch out --run still --once --trigger drift=10; echo "exit $?"
echo "- one snapshot"
strata snapshot run out/checkpoint-20 --trigger drift=0.0001; echo "exit $?"
strata snapshot run out/checkpoint-20; echo "exit $?"
echo "- wrong words"
strata watch out --run run --once --trigger drift=much; echo "exit $?"
strata watch out --run run --once --trigger drift=0; echo "exit $?"
strata watch out --run run --once --trigger loss=1; echo "exit $?"
