// The common headers of test programs are compiled with this file: tests/CMakeLists.txt.
