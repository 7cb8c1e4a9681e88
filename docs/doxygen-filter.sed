# Makes the header's plain comments Doxygen's, for docs/Doxyfile. The first two are about the file.
1s|^/\* clsort: \(.*\) \*/$|/** @file\n @brief \1 */|
0,/^ \*\/$/s|^/\*$|/** @file|
/^\/\* -----/d
s|^/\*$|/**|
s|^\( *\)/\* |\1/** |
s|\([,;] *\)/\* \(.*\)\*/$|\1/**< \2*/|
