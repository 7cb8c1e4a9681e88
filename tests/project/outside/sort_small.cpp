// The same program as C++.
#include "sort_small.c"
