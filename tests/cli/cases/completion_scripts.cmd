for shell in bash zsh fish; do strata completion $shell | head -1; done
strata completion bash | bash -n
strata completion tcsh; echo "exit $?"
