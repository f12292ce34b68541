for machine in a b; do strata -C $machine init -q >/dev/null; strata -C $machine remote add hub file://$PWD/hub -q; done
mkdir out && cp -r $MODELS/run/checkpoint-10 out/
strata -C a watch out --run run --once --push hub -q; echo "exit $?"
strata -C b pull hub -q; echo "exit $?"
next() {
  rm -rf out/checkpoint-20; cp -r out/checkpoint-10 out/checkpoint-20
  sed -i 's/"global_step": 10/"global_step": 20/' out/checkpoint-20/trainer_state.json
  cp $MODELS/$1.safetensors out/checkpoint-20/model.safetensors
}
echo "- both go on"
next tuned; strata -C a watch out --run run --once --push hub -q; echo "exit $?"
next tuned2; strata -C b watch out --run run --once --push hub -q; echo "exit $?"
echo "- the second one takes the next numbers"
strata -C b watch out --run run --once --push hub --renumber; echo "exit $?"
strata -C b watch out --run run --once --push hub --renumber -q; echo "exit $?"
strata -C b list --versions run
strata -C a pull run hub -q; strata -C a list --versions run
strata -C b snapshot run out/checkpoint-20 --renumber; echo "exit $?"
