// Classes of segments by length, and the list made of them.
//
// The workspace has a list of segments, class by class. Class k holds those of up to 1 << k elements which are too long for class
// k - 1; then come those that are too long for local memory. Segments of no or one element are in no class.
#define FEW_BLOCKS_CLASS 16  // too long for local memory, of few blocks
#define MANY_BLOCKS_CLASS 17 // of more
#define N_CLASSES 18
#define FEW_BLOCKS 32

// Words of the control area.
#define CONTROL_COUNTS 0  // N_CLASSES: segments of a class
#define CONTROL_PLACES 32 // N_CLASSES: of them, those that have their place in the list
#define CONTROL_BLOCKS 63 // blocks of long segments
#define CONTROL_WORDS 64

// Number of the first long segment in the list.
INLINE index_t first_long(global const uint *control)
{
    index_t first = 0;
    for (uint k = 0; k < FEW_BLOCKS_CLASS; k++) {
        first += control[CONTROL_COUNTS + k];
    }
    return first;
}
