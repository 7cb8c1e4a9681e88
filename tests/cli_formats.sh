# cli_formats.sh: tests of the binary formats and of values; read by cli_test.sh.
# shellcheck shell=bash disable=SC2016,SC2154

# ---------------------------------------------------------------------------------------------------- npy and raw

# The words are in sorted order; those of floats include -inf, denormals, both zeros, +inf and NaN.
types() {
    echo 'u8 |u1 1 00 01 02 7f 80 fe ff'
    echo 'u16 <u2 2 0000 0001 0100 7fff 8000 fffe ffff'
    echo 'u32 <u4 4 00000000 00000001 00010000 7fffffff 80000000 ffffffff'
    echo 'u64 <u8 8 0000000000000000 0000000000000001 0000000100000000 7fffffffffffffff 8000000000000000 ffffffffffffffff'
    echo 'i8 |i1 1 80 81 ff 00 01 7f'
    echo 'i16 <i2 2 8000 8001 ffff 0000 0001 0100 7fff'
    echo 'i32 <i4 4 80000000 80000001 ffffffff 00000000 00000001 7fffffff'
    echo 'i64 <i8 8 8000000000000000 8000000000000001 ffffffffffffffff 0000000000000000 0000000000000001 7fffffffffffffff'
    echo 'f16 <f2 2 fc00 c400 bc00 8001 8000 0000 0001 3c00 4400 7c00 7e00'
    echo 'bf16 - 2 ff80 c080 bf80 8001 8000 0000 0001 3f80 4080 7f80 7fc0'
    echo 'f32 <f4 4 ff800000 c0800000 bf800000 80000001 80000000 00000000 00000001 3f800000 40800000 7f800000 7fc00000'
    echo 'f64 <f8 8 fff0000000000000 c010000000000000 bff0000000000000 8000000000000001 8000000000000000 0000000000000000 0000000000000001 3ff0000000000000 4010000000000000 7ff0000000000000 7ff8000000000000'
}
reversed() {
    local i
    for ((i = $#; i > 0; i--)); do echo "${!i}"; done
}
# Words in an order that is neither: every third, then the next ones, then the rest.
shuffled() {
    local start i
    for start in 3 1 2; do
        for ((i = start; i <= $#; i += 3)); do echo "${!i}"; done
    done
}
check_type() {
    local key=$1 descr=$2 n_bytes=$3
    shift 3
    # shellcheck disable=SC2046
    hex_bytes "$n_bytes" $(shuffled "$@") >input.raw
    hex_bytes "$n_bytes" "$@" >expected.raw
    check "raw_of_$key" run 0 sort --key "$key" input.raw output.raw
    check "raw_of_$key" same output.raw expected.raw
    # shellcheck disable=SC2046
    hex_bytes "$n_bytes" $(reversed "$@") >expected.raw
    check "raw_of_${key}_descending" run 0 sort --key "$key" --descending -o output.raw input.raw
    check "raw_of_${key}_descending" same output.raw expected.raw
    if [ "$descr" = - ]; then return; fi
    hex_bytes "$n_bytes" "$@" >expected.raw
    { npy "$descr" "($#,)" && cat input.raw; } >input.npy
    { npy "$descr" "($#,)" && cat expected.raw; } >expected.npy
    check "npy_of_$key" run 0 sort input.npy output.npy
    check "npy_of_$key" same output.npy expected.npy
    check "npy_of_$key" run 0 sort --key "$key" input.npy output.npy
    check "npy_from_standard_input_of_$key" eval '"$clsort" sort <input.npy >output.npy'
    check "npy_from_standard_input_of_$key" same output.npy expected.npy
}
while read -r row; do
    # shellcheck disable=SC2086
    check_type $row
done < <(types)

# Versions 2.0 and 3.0 have a header length of four bytes.
for version in 2 3; do
    {
        printf '\x93NUMPY%b\x00\x40\x00\x00\x00%-63s\n' "\\x0$version" "{'shape': (3,), 'descr': '<u2', 'fortran_order': True}"
        hex_bytes 2 0003 0001 0002
    } >version.npy
    check "npy_version_$version" run 0 sort version.npy output.npy
    check "npy_version_$version" eval 'tail -c 6 output.npy | od -An -v -tu2 | grep -q "^ *1 *2 *3$"'
    check "npy_version_$version" eval 'cmp -s <(head -c 76 version.npy) <(head -c 76 output.npy)'
done

{ npy '<i4' '(3,)' && hex_bytes 4 00000003 ffffffff 00000002; } >three.npy
{ npy '<u4' '(3,)' && hex_bytes 4 00000001 00000002 00000000; } >expected
check argsort_of_npy run 0 sort --argsort three.npy
check argsort_of_npy same result expected
{ npy '<u8' '(3,)' && hex_bytes 8 0000000000000001 0000000000000002 0000000000000000; } >expected
check argsort_of_npy_in_8_bytes run 0 sort --argsort --index-bytes 8 three.npy
check argsort_of_npy_in_8_bytes same result expected

bad_npy() { # NAME PATTERN, the file is bad.npy
    check "$1" fails 1 "$2" sort bad.npy bad.out.npy
    check "$1" absent bad.out.npy
}
{ npy '>u4' '(1,)' && hex_bytes 4 00000001; } >bad.npy
bad_npy big_endian_is_refused "'>u4' has the other byte order"
{ npy '<u4' '(1, 2)' && hex_bytes 4 00000001 00000002; } >bad.npy
bad_npy two_dimensions_are_refused '2 dimensions'
{ npy '<u4' '()' && hex_bytes 4 00000001; } >bad.npy
bad_npy no_dimension_is_refused '0 dimensions'
{ npy '<c8' '(1,)' && hex_bytes 8 0000000000000001; } >bad.npy
bad_npy complex_is_refused "'<c8' is no key type"
{ npy '<u4' '(3,)' && hex_bytes 4 00000001; } >bad.npy
bad_npy short_data_is_refused 'announces 12 bytes of data, but 4 follow'
{ npy '<u4' '(1,)' && hex_bytes 4 00000001 00000002; } >bad.npy
bad_npy long_data_is_refused 'announces 4 bytes of data, but 8 follow'
head -c 40 three.npy >bad.npy
bad_npy cut_header_is_refused 'header is cut off'
printf 'hello world, no array' >bad.npy
bad_npy other_files_are_refused 'not a .npy file'
{ npy '<u4' '(5' && hex_bytes 4 00000001; } >bad.npy
bad_npy damaged_header_is_refused 'header is damaged'
printf '\x93NUMPY\x04\x00\x10\x00\x00\x00' >bad.npy
bad_npy version_4_is_refused 'version 4.0 is not supported'
check other_key_than_npy_is_refused fails 1 'holds i32, not u32' sort --key u32 three.npy

head -c 40000 /dev/urandom >random.raw
od -An -v -tu4 -w4 random.raw | sort -n >expected
check raw_is_u32_by_default eval '"$clsort" sort random.raw | od -An -v -tu4 -w4 >result'
check raw_is_u32_by_default same result expected
cp random.raw unnamed
check binary_is_found_to_be_raw eval '"$clsort" sort unnamed | od -An -v -tu4 -w4 >result'
check binary_is_found_to_be_raw same result expected
check format_option_beats_the_name eval '"$clsort" sort --format raw <random.raw | od -An -v -tu4 -w4 >result'
check format_option_beats_the_name same result expected
od -An -v -tu4 -w4 random.raw | awk '{ print $1 "\t" NR - 1 }' | sort -s -n -k 1,1 | cut -f 2 >expected
check argsort_of_raw eval '"$clsort" sort --argsort random.raw | od -An -v -tu4 -w4 | tr -d " " >result'
check argsort_of_raw same result expected
check argsort_of_raw_in_8_bytes eval '"$clsort" sort --argsort --index-bytes 8 random.raw | od -An -v -tu8 -w8 | tr -d " " >result'
check argsort_of_raw_in_8_bytes same result expected
od -An -v -tu4 -w4 random.raw | awk '{ print int($1 / 16) % 256 "\t" $1 }' | sort -s -n -k 1,1 | cut -f 2 >expected
check bits_are_stable eval '"$clsort" sort --bits 4:12 random.raw | od -An -v -tu4 -w4 | tr -d " " >result'
check bits_are_stable same result expected
check empty_bits_copy eval '"$clsort" sort --bits 7:7 random.raw >result'
check empty_bits_copy same result random.raw
check bits_beyond_the_key_are_refused fails 1 'a key of type u16 has 16 bits' sort --key u16 --bits 0:17 random.raw
head -c 10 random.raw >odd.raw
check part_of_a_key_is_refused fails 1 'odd.raw: 10 bytes are no whole number of u32 keys' sort odd.raw

# ---------------------------------------------------------------------------------------------------- values

# Keys of two bytes from 10000 random ones of 4096, so that many are equal.
head -c 20000 random.raw | od -An -v -tu2 -w2 | awk '{ printf "%04x\n", $1 % 4096 }' >words
# shellcheck disable=SC2046
hex_bytes 2 $(cat words) >keys.raw
pairs_in_order() { # VALUE-BYTES OPTION-OF-SORT...: keys and values as text, in the order they should have
    local n_bytes=$1
    shift
    paste <(od -An -v -tu2 -w2 keys.raw) <(od -An -v -tx1 "-w$n_bytes" values.raw) | sort -s -n "$@" -k 1,1
}
for n_bytes in 1 3 4 16; do
    head -c $((10000 * n_bytes)) /dev/urandom >values.raw
    pairs_in_order "$n_bytes" >expected
    check "values_of_$n_bytes" run 0 sort --key u16 keys.raw k.raw --values values.raw --value-bytes "$n_bytes" --values-output v.raw
    paste <(od -An -v -tu2 -w2 k.raw) <(od -An -v -tx1 "-w$n_bytes" v.raw) >result
    check "values_of_$n_bytes" same result expected
done
pairs_in_order 16 -r >expected
check values_descending run 0 sort --key u16 --descending keys.raw k.raw --values values.raw --value-bytes 16 --values-output v.raw
paste <(od -An -v -tu2 -w2 k.raw) <(od -An -v -tx1 -w16 v.raw) >result
check values_descending same result expected

{ npy '<f4' '(10000, 4)' && cat values.raw; } >values.npy
pairs_in_order 16 >expected
check npy_values run 0 sort --key u16 keys.raw k.raw --values values.npy --values-output v.npy
paste <(od -An -v -tu2 -w2 k.raw) <(tail -c +129 v.npy | od -An -v -tx1 -w16) >result
check npy_values same result expected
check npy_values eval 'cmp -s <(head -c 128 v.npy) <(head -c 128 values.npy)'
check values_of_text eval 'od -An -v -tu2 -w2 keys.raw >keys.txt'
check values_of_text run 0 sort keys.txt k.txt --values values.npy --values-output v.npy
paste k.txt <(tail -c +129 v.npy | od -An -v -tx1 -w16) >result
check values_of_text same result expected
check too_few_values_are_refused fails 1 '5000 values for 10000 keys' \
    sort --key u16 keys.raw bad.raw --values values.raw --value-bytes 32 --values-output bad.values
check too_few_values_are_refused absent bad.raw
check values_need_their_size fails 1 'need --value-bytes' \
    sort --key u16 keys.raw bad.raw --values values.raw --values-output bad.values
check other_size_than_npy_is_refused fails 1 'a value has 16 bytes, not 8' \
    sort --key u16 keys.raw bad.raw --values values.npy --value-bytes 8 --values-output bad.values
check values_are_not_written_alone absent bad.values
