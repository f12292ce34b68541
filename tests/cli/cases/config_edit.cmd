EDITOR="echo effort = \\\"best\\\" >" strata config edit; echo "exit $?"
strata config get effort
EDITOR=false strata config edit; echo "exit $?"
