strata init -q >/dev/null
state() {
  cp -r $MODELS/run/checkpoint-$1 out/checkpoint-$2
  printf '{"global_step": %s, "best_metric": %s, "log_history": [%s]}' $2 $3 "$4" > out/checkpoint-$2/trainer_state.json
}
mkdir out
first='{"eval_loss": 0.5, "eval_f1": 0.71, "step": 5}'
second='{"eval_loss": 0.25, "eval_f1": 0.73, "step": 10}'
third='{"eval_loss": 0.31, "eval_f1": 0.79, "step": 20}'
state 5 5 0.5 "$first"; state 10 10 0.25 "$first, $second"; state 20 20 0.25 "$first, $second, $third"
strata watch out --run run --once -q >/dev/null
echo "- by what the trainer goes by: less of the loss is better"
strata prune run --keep-best -n | grep -E 'keep|remove'
echo "- by another one"
strata prune run --keep-best --metric eval_f1 -n | grep -E 'keep|remove'
strata prune run --keep-best --metric f1=min -n | grep -E 'keep|remove'
strata prune run --keep-best --metric bleu; echo "exit $?"
strata prune run --keep-last 1 --metric eval_f1; echo "exit $?"
echo "- by one of which nothing says what is better"
rm -r out/checkpoint-20
for step in 5 10; do
  printf '{"global_step": %s, "log_history": [{"eval_gap": %s, "step": %s}]}' $step 0.$step $step \
    > out/checkpoint-$step/trainer_state.json
done
strata watch out --run gap --once -q >/dev/null
strata prune gap --keep-best -n; echo "exit $?"
strata prune gap --keep-best --metric gap=min -n --json |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["best"])'
strata prune run --keep-best -q
