strata init -q >/dev/null
cp -r $MODELS/run out
cp $MODELS/run/checkpoint-10/trainer_state.json out/checkpoint-20/
sed -i 's/"global_step": 10/"global_step": 20/' out/checkpoint-20/trainer_state.json
strata watch out --run run --once -q >/dev/null
echo "- what would become of it"
strata prune run --keep-optimizer 1 -n
strata list --versions -q run
echo "- the optimizer of the newest one stays"
strata prune run --keep-optimizer 1
strata log run --oneline
strata show run:step-10 | grep -E 'fidelity|coding|tags'
strata restore run:step-10 -o ten && ls ten && rm out/checkpoint-10/optimizer.pt && diff -r ten out/checkpoint-10 && echo same
echo "- nothing more to do"
strata prune run --keep-optimizer 1
echo "- nothing to go on from, but for the newest"
strata resume run --step 10; echo "exit $?"
strata resume run -q
echo "- all of it is one operation"
strata undo
strata log run --oneline
strata redo -q
strata history -q | head -n 3
echo "- a file with both cannot be parted"
for step in 3 4; do strata snapshot one $EXAMPLES/../tests/data/pytorch/1.13/step-$step.ckpt -q >/dev/null; done
strata prune one --keep-optimizer 1; echo "exit $?"
strata verify --rebuild -q >/dev/null && echo sound
