/* scaling.h — things on a plane, as far from each other as they can be put. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_SCALING_H
#define MT_PUBLIC_SCALING_H

#include <mt/error.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Classical scaling (Torgerson 1952; Gower 1966): of B = -1/2 J D∘D J, J = I - 11ᵀ/n, the n_dims
 * largest eigenvalues l and their unit vectors v; thing i is put at (√l_1 v_1i, √l_2 v_2i, …). For
 * distances of a plane these are its points, turned.
 *
 * distances [n][n]: not negative, 0 on the diagonal; of d_ij and d_ji the mean counts. points
 * [n][n_dims]: centred on 0, the widest axis first; along each the sum of cubes is not negative, so
 * that the same distances give the same picture. An axis whose eigenvalue is not above 0 is all 0.
 * *share (may be NULL): what the plane holds of the sum of all squared distances, which is exact
 * where they are distances of some space; 0 where all are 0.
 * O(n³). False: MT_ERROR_INPUT for a number that is no distance, for n_dims of 0 or above n;
 * MT_ERROR_NO_MEMORY. */
bool mt_scale_classical(const double *distances, size_t n, size_t n_dims, double *points,
                        double *share, mt_error *error);

#ifdef __cplusplus
}
#endif
#endif
