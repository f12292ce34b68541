strata -C nowhere list
