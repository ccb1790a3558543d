/* mt-simd-end.h — the words of mt-simd-avx2.h mean nothing any more.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#undef TARGET
#undef SIMD
#undef SIMD_NAME
#undef LANES
#undef VEC
#undef LOAD
#undef STORE
#undef SET1
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef MAX
#undef FMA
#undef REDUCE_ADD
#undef REDUCE_MAX
#undef REDUCE_ADD_4
#undef LOAD_TAIL
#undef STORE_TAIL
#undef ROUND
#undef EXP_SCALE
#undef MASK_ABOVE
#undef ZERO_BELOW
#undef SUMS
