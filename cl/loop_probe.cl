// Two loops that count their iterations in memory: some devices end the loops of a work-item early, and say nothing.

kernel void probe(global volatile uint *counts, const uint n)
{
    for (uint i = 0; i < n; i++) {
        counts[0]++;
    }
    for (uint i = 0; i < n; i++) {
        counts[1]++;
    }
}
