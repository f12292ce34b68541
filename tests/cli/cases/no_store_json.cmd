strata list --json
