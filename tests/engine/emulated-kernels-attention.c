/* emulated-kernels-attention.c — mt-kernels-attention.c on emulated AVX-512, in the place of that
 * of the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "emulated-avx512.h"

#include "kernels/mt-kernels-attention.c"
