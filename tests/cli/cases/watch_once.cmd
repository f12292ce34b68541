strata init -q >/dev/null
cp -r $MODELS/run out
strata watch out --run run --once; echo "exit $?"
echo "- once its trainer has finished it"
cp $MODELS/run/checkpoint-10/trainer_state.json out/checkpoint-20/
strata watch out --run run --once; echo "exit $?"
strata watch out --run run --once -q; echo "exit $?"
echo "- every 8 steps, of another run"
strata watch out --run other --once --every 8 2>&1; echo "exit $?"
echo "- not taken again"
strata remove other:v1 --now --yes -q
strata watch out --run other --once; echo "exit $?"
strata list --versions other
ls -A out
echo "- wrong words"
strata watch nowhere --run run --once; echo "exit $?"
strata watch out --once; echo "exit $?"
strata watch out --run run --once --interval 0; echo "exit $?"
strata watch out --run run --once --keep-optimizer 0; echo "exit $?"
