# A tag that was removed here and moved on the remote does not come back by itself.
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name t --tag prod -q >/dev/null
strata remote add hub file://$PWD/hub >/dev/null && strata push -q >/dev/null
strata clone file://$PWD/hub $PWD/b -q >/dev/null && strata -C b tag remove t:prod -q >/dev/null
strata add t $MODELS/tuned.safetensors -q >/dev/null && strata tag t:v2 prod --move -q >/dev/null
strata push -q >/dev/null
strata -C b pull -n; strata -C b tag list
strata -C b pull; echo "exit $?"
strata -C b tag list; strata -C b remote list
strata -C b pull; echo "exit $?"
strata -C b pull --force-tag; echo "exit $?"
strata -C b tag list
echo "# with its version: a pull brings both"
strata -C b remove t:v2 --now --yes -q >/dev/null && strata -C b pull; echo "exit $?"
strata -C b tag list
