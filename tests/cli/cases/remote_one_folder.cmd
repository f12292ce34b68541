# One folder under several spellings is one remote, and no store is made inside of it.
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
mkdir w; ln -s share link
strata remote add one file://$PWD/w/../share/
strata push -q
strata push ./link; strata push ./share/ ; strata push file://$PWD/./share
strata remote add two ./link; strata remote set two ./w/../share
strata clone ./link share/inside; echo "exit $?"
strata clone ./share share; echo "exit $?"
strata init link/inside; echo "exit $?"
ls share
echo "# its folder is gone"
strata clone ./share lazy --lazy -q; mv share away
strata pull one; strata fetch one; strata -C lazy restore base -o back
echo "exit $?"
