strata init -q >/dev/null
strata import $MODELS/base.safetensors --name base -q >/dev/null
strata snapshot train $MODELS/run/checkpoint-5 --base base
strata snapshot train $MODELS/run/checkpoint-10 -q | wc -c
echo "--- again, and one that is torn"
strata snapshot train $MODELS/run/checkpoint-5 --json | tail -1 | grep -o '"outcome":"[a-z]*"'
strata snapshot train $MODELS/run/checkpoint-20; echo "exit $?"
strata log train --oneline
strata log train --json | grep -o '"snapshot":{[^}]*}'
strata run list
strata run list --json | grep -o '"snapshots":[0-9]*'
echo "--- resume"
strata resume train
diff -r checkpoint-10 $MODELS/run/checkpoint-10 && echo same
strata resume train --step 5 -o again -q
diff -r again $MODELS/run/checkpoint-5 && echo same
strata resume train; echo "exit $?"
strata resume train --force --json | grep -o '"step":[0-9]*'
strata resume train --step 7; echo "exit $?"
strata resume other; echo "exit $?"
echo "--- weights"
strata restore train --weights-only -o weights
ls weights
