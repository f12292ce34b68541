strata init -q >/dev/null
strata resume run; echo "exit $?"
for step in 5 10; do strata snapshot run $MODELS/run/checkpoint-$step -q >/dev/null; done
echo "- the newest one"
strata resume run; echo "exit $?"
diff -r checkpoint-10 $MODELS/run/checkpoint-10 && echo same
echo "- what is there is not replaced without a word"
echo torn > checkpoint-10/optimizer.pt
strata resume run; echo "exit $?"
strata resume run --force -q && diff -r checkpoint-10 $MODELS/run/checkpoint-10 && echo same
echo "- one step"
strata resume run --step 5 -o again && diff -r again $MODELS/run/checkpoint-5 && echo same
strata resume run --step 7; echo "exit $?"
echo "- one version"
for which in run:v1 run:step-5 run~1; do
  rm -rf again; strata resume $which -o again -q && diff -r again $MODELS/run/checkpoint-5 && echo same
done
strata resume run:v1 --step 10 -o other; echo "exit $?"
strata resume run:v9 -o other; echo "exit $?"
echo "- a damaged one is passed over"
pack=$(strata show run --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["packs"][0])')
file=$(find .strata/objects -type f -name "${pack:2}*"); chmod u+w $file; truncate -s 60 $file
strata resume run -o older && diff -r older $MODELS/run/checkpoint-5 && echo same
strata resume run:v2 -o other 2>&1 | grep -oE 'run:v2: is not complete|sound: step 5'
test -e other || echo "no other"
