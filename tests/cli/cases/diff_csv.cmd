strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata diff sst2 --output change.csv
head -1 change.csv; wc -l < change.csv
strata diff sst2 --threshold 200%
