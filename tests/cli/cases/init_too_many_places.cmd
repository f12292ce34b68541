strata init here --user
