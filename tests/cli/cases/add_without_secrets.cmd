strata init -q >/dev/null
mkdir m && cp $MODELS/base.safetensors m/model.safetensors && echo TOKEN=1 > m/.env && echo x > m/optimizer.pt
echo '*.log' > m/.strataignore && echo log > m/train.log
strata add first m --exclude 'optimizer.*'
strata restore first -o back -q >/dev/null && ls -A back
echo '!.env' >> m/.strataignore
strata add second m -q >/dev/null && strata restore second -o back2 -q >/dev/null && ls -A back2
strata diff second m
