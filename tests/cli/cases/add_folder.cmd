strata init -q >/dev/null
strata import $MODELS/folder --name bert -q >/dev/null
strata add tuned $MODELS/folder2
strata restore tuned -o back -q
diff -r back $MODELS/folder2
