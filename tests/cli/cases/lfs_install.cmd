strata init -q >/dev/null
strata lfs-agent --install; echo "exit $?"
git init -q repo && cd repo && strata lfs-agent --install
git config --get-regexp '^lfs' | sed "s#$PWD/../.strata#STORE#; s#-C .*/.strata#-C STORE#"
strata lfs-agent --install --remote nosuch; echo "exit $?"
