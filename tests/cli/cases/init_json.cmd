strata init --json
