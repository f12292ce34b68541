strata init -q >/dev/null
cp -r $MODELS/run out
cp $MODELS/run/checkpoint-10/trainer_state.json out/checkpoint-20/
sed -i 's/"global_step": 10/"global_step": 20/' out/checkpoint-20/trainer_state.json
strata watch out --run run --once --profile lc-checkpoint -q >/dev/null
echo "- what would become of it"
strata recode run --merge -n
strata list --versions -q run
echo "- one difference instead of two"
strata recode run --merge
strata list --versions --columns ref,parent,tags run
strata show run | grep -E 'fidelity|profile|error'
strata log run --oneline
echo "- nothing is taken twice"
strata watch out --run run --once --profile lc-checkpoint
strata resume run -o back -q && diff -rq back out/checkpoint-20
echo "- nothing more to do"
strata recode run --merge
echo "- other settings"
strata undo -q
strata recode run --merge --profile safe -q
strata recode run:v2 --merge; echo "exit $?"
strata recode run:v1 --merge; echo "exit $?"
strata recode run --merge --base run:v1; echo "exit $?"
strata recode run --merge --profile exact; echo "exit $?"
echo "- for a target"
strata show run --json | python3 -c "import json,sys; print(json.load(sys.stdin)['error_is_sum'])"
strata undo -q
printf 'mode = "quality"\n[target]\nsize = "10 B"\n[quantize]\ncodec = "levels"\n' > tiny.toml
strata profile import tiny.toml -q >/dev/null
strata recode run --merge --profile tiny >/dev/null; echo "exit $?"
strata list --versions -q run
strata verify --full -q >/dev/null && echo sound
