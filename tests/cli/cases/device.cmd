export CUDA_VISIBLE_DEVICES=
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata restore sst2 -o cuda.safetensors --device cuda 2>&1 | sed 's/cuda: .*  /cuda: <REASON>  /'; ls
strata restore sst2 -o - --device cuda 2>/dev/null | wc -c
strata verify --rebuild --device cuda >/dev/null 2>&1; echo "exit $?"
STRATA_DEVICE=cuda strata restore sst2 -o cuda.safetensors >/dev/null 2>&1; echo "exit $?"
strata restore sst2 -o auto.safetensors --device auto; cmp auto.safetensors $MODELS/tuned.safetensors
strata restore sst2 -o cpu.safetensors --device cpu -q; cmp cpu.safetensors $MODELS/tuned.safetensors
strata restore sst2 -o gpu.safetensors --device gpu 2>/dev/null; echo "exit $?"
strata add sst2 $MODELS/tuned.safetensors --device cuda 2>&1 | sed "s/cuda: .*  /cuda: <REASON>  /" | tail -2
strata add sst2 $MODELS/tuned.safetensors --device auto >/dev/null 2>&1; echo "exit $?"
strata add sst2 $MODELS/tuned.safetensors --profile small --device cuda 2>&1 | sed "s/cuda: .*  /cuda: <REASON>  /" | tail -2
strata add sst2 $MODELS/tuned.safetensors --codec levels --step 1 --device cuda 2>&1; echo "exit $?"
strata add sst2 $MODELS/tuned.safetensors --codec levels --levels 16 --device cuda 2>&1 | sed "s/cuda: .*  /cuda: <REASON>  /" | tail -2
strata add sst2 $MODELS/tuned.safetensors --codec index --levels 16 --device cuda 2>&1 | sed "s/cuda: .*  /cuda: <REASON>  /" | tail -2
strata add sst3 $MODELS/tuned.safetensors --base none --device cuda 2>&1; echo "exit $?"
strata tune $MODELS/tuned.safetensors --base base --target size=1kB --device cuda 2>&1 | sed "s/cuda: .*  /cuda: <REASON>  /" | tail -2
strata tune $MODELS/tuned.safetensors --base base --codec sign --device cuda 2>&1; echo "exit $?"
strata list --device cuda >/dev/null 2>&1; echo "exit $?"
strata verify --device cuda 2>&1; echo "exit $?"
strata show sst2:v2 >/dev/null 2>&1; echo "exit $?"
STRATA_DEVICE=cuda strata add sst2 $MODELS/base.safetensors -n >/dev/null 2>&1; echo "exit $?"
STRATA_DEVICE=cuda strata import $MODELS/base.safetensors --name other 2>&1 >/dev/null | grep 'GPU'
STRATA_DEVICE=cuda strata list 2>&1 | grep -c 'GPU'; true
