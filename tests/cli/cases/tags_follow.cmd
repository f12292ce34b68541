strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors --base base --tag prod -q >/dev/null
strata remote add hub file://$PWD/hub >/dev/null && strata push -q >/dev/null
strata clone file://$PWD/hub $PWD/b -q >/dev/null
strata add sst2 $MODELS/tuned2.safetensors --tag prod -q >/dev/null
strata push; echo "exit $?"
strata push --force-tag; echo "exit $?"
strata -C b pull -n
strata -C b pull; echo "exit $?"
strata -C b show sst2:prod -q
strata -C b tag sst2:v1 prod --move -q >/dev/null
strata -C b pull; echo "exit $?"
strata -C b push; echo "exit $?"
strata tag sst2:v2 next -q >/dev/null && strata pull; echo "exit $?"
strata push; echo "exit $?"
strata -C b pull; echo "exit $?"
# Nobody knows who moved it.
rm b/remotes/origin.tags && strata -C b tag sst2:v2 prod --move -q >/dev/null && strata -C b push; echo "exit $?"
strata -C b pull; echo "exit $?"
strata -C b push --force-tag; echo "exit $?"
strata pull -q >/dev/null && strata tag remove sst2:prod -q >/dev/null && strata push; echo "exit $?"
strata tag remove hub/sst2:prod --yes; echo "exit $?"
strata push; strata tag remove hub/sst2:prod --yes; echo "exit $?"
strata -C b push; echo "exit $?"
strata -C b tag list
