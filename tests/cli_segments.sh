# cli_segments.sh: segments of the clsort command; read by cli_test.sh.
# shellcheck shell=bash disable=SC2016

# Each line with the number of its segment before it; lines in no segment have one each.
numbers 3000 500 >keys.txt
printf '%s\n' 10 10 12 500 501 2900 >offsets.txt
awk 'NR == FNR { offset[NR] = $1; n = NR; next }
    { i = FNR - 1; s = -1; for (k = 1; k < n; k++) if (offset[k] <= i && i < offset[k + 1]) s = k
      print (s < 0 ? (i < offset[1] ? i : 100000 + i) : 1000 + s) "\t" (s < 0 ? 0 : $1) "\t" $1 "\t" i }' \
    offsets.txt keys.txt >cut
sort -s -n -k 1,1 -k 2,2 cut >sorted
cut -f 3 sorted >expected
check segments_of_text run 0 sort --segments offsets.txt keys.txt
check segments_of_text same result expected
cut -f 4 sorted >expected
check segments_argsort run 0 sort --argsort --segments offsets.txt keys.txt
check segments_argsort same result expected
awk '{ print int((NR - 1) / 100) "\t" $1 "\t" (NR - 1) % 100 }' keys.txt | sort -s -n -k 1,1 -k 2,2 >sorted
cut -f 2 sorted >expected
check segments_of_one_length run 0 sort --segment-length 100 keys.txt
check segments_of_one_length same result expected
cut -f 3 sorted >expected
check index_in_segment run 0 sort --segment-length 100 --argsort --index-in-segment keys.txt
check index_in_segment same result expected

{ npy '<i8' '(3,)'; hex_bytes 8 0000000000000000 0000000000000003 0000000000000005; } >offsets.npy
hex_bytes 8 0000000000000000 0000000000000003 0000000000000005 >offsets.raw
hex_bytes 4 00000009 00000003 00000007 00000002 00000001 00000000 >keys.raw
hex_bytes 1 00 01 02 03 04 05 >values.raw
hex_bytes 4 00000003 00000007 00000009 00000001 00000002 00000000 >expected
hex_bytes 1 01 02 00 04 03 05 >expected_values
for offsets in offsets.npy offsets.raw; do
    check "pairs_by_$offsets" run 0 sort keys.raw out.raw --segments "$offsets" --values values.raw --value-bytes 1 \
        --values-output out_values.raw
    check "pairs_by_$offsets" same out.raw expected
    check "pairs_by_$offsets" same out_values.raw expected_values
done

segments_error() { # NAME OFFSETS PATTERN
    check "$1" eval "printf -- '$2' >bad.txt"
    check "$1" fails 1 "$3" sort --segments bad.txt keys.txt bad.out
    check "$1" absent bad.out
}
segments_error falling_offsets '0\n9\n5\n' 'bad.txt: offset 2 is below the one before it'
segments_error offset_beyond_the_keys '0\n3001\n' 'bad.txt: offset 1 is beyond the 3000 keys'
segments_error negative_offset '-1\n3\n' 'bad.txt: line 1: -1 is out of the range of u64'
segments_error no_offsets '' 'bad.txt: no offset'
check broken_segment_length fails 1 '3000 keys are no whole number of segments' sort --segment-length 7 keys.txt bad.out
check broken_segment_length absent bad.out
check segments_with_low_memory fails 1 'workspace' sort --segments offsets.txt --low-memory keys.txt bad.out
check segments_with_low_memory absent bad.out
