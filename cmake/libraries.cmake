# Libraries that other programs link, too: see docs/LIBRARY.md.

# To be called for each of them. Position-independent, so that a shared library may be made of them;
# and since nobody replaces their functions there, these are inlined as in a program.
function(strata_public_library target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-semantic-interposition>)
endfunction()
