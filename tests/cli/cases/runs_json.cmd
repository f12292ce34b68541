strata init -q >/dev/null
cp -r $MODELS/run out
strata watch out --run train --once --json --progress never
strata run list --json
strata resume train --json --progress never
