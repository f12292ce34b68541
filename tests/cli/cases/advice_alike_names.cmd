# Advice spells names that begin as a remote does so that it works.
strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name t -q >/dev/null
strata -C ours remote add stick file://$PWD/stick >/dev/null && strata -C ours push stick -q >/dev/null
strata -C ours remote add t file://$PWD/other >/dev/null
strata -C ours rename t t/x
strata -C ours push ':t/x:*' stick
strata -C ours add t/x $MODELS/tuned.safetensors 2>&1 | grep Next
strata -C ours verify :t/x:v2 -q; echo "exit $?"
