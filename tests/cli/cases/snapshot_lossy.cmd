strata init -q >/dev/null
mkdir out && cp $EXAMPLES/../tests/data/pytorch/1.13/step-[34].ckpt out/
echo "- each says what it lost, of weights and moments"
strata watch out --run run --once --profile resume 2>/dev/null | grep -o 'lossy, .*size'
strata snapshot one out/step-3.ckpt --base none -q >/dev/null
strata snapshot one out/step-4.ckpt --profile resume-small 2>/dev/null | grep -E '^  error'
strata show one | grep error
