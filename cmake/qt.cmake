# The window needs Qt 6.4; without it only the command line is built.
option(STRATA_GUI "Build the window, strata-gui, where Qt is found" ON)
set(STRATA_WITH_GUI OFF)
if(STRATA_GUI)
  find_package(Qt6 6.4 QUIET COMPONENTS Core Gui Widgets Svg)
  if(Qt6_FOUND)
    set(STRATA_WITH_GUI ON)
  endif()
endif()
