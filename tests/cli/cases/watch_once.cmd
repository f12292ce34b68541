strata init -q >/dev/null
cp -r $MODELS/run out
strata watch out --run train --once; echo "exit $?"
echo "--- again"
strata watch out --run train --once; echo "exit $?"
strata list 'train:v*' --columns ref,tags
echo "--- finished meanwhile"
cp $MODELS/run/checkpoint-10/trainer_state.json out/checkpoint-20
sed -i 's/"global_step": 10/"global_step": 20/' out/checkpoint-20/trainer_state.json
strata watch out --run train --once --json | grep -o '"type":"[a-z]*"'
strata watch out --run train --once -q; echo "exit $?"
ls -A out
strata list 'train:v*' --columns ref,tags
echo "--- words"
strata watch nowhere --run train --once; echo "exit $?"
strata watch out --run train --interval 0; echo "exit $?"
strata watch out --run -x --once; echo "exit $?"
