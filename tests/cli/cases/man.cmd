strata man -q add | head -1
strata man -q | head -1
strata man nosuch; echo "exit $?"
strata man trash; echo "exit $?"
PATH=/nonexistent $(command -v strata) man du | head -3
