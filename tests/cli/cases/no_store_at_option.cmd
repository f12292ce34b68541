strata -C nowhere list
touch file; strata -C file/x list
