/* mt-counted.h — references of what several threads share. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A counted struct has `int ref_count`, which is 1 when it is made; `type`_ref and `type`_unref are
 * defined by one line behind the function that frees it. The count is no _Atomic(int), so that
 * structs with one can stand in public headers, which C++ reads, too.
 */
#ifndef MT_COUNTED_H
#define MT_COUNTED_H

/* NULL is fine for both. free_it: of one argument, called by whoever gives the last reference back.
 */
#define MT_DEFINE_COUNTED(type, free_it)                                        \
  type *type##_ref(type *self)                                                  \
  {                                                                             \
    if (self)                                                                   \
      __atomic_fetch_add(&self->ref_count, 1, __ATOMIC_RELAXED);                \
    return self;                                                                \
  }                                                                             \
                                                                                \
  void type##_unref(type *self)                                                 \
  {                                                                             \
    if (self && __atomic_fetch_sub(&self->ref_count, 1, __ATOMIC_ACQ_REL) == 1) \
      free_it(self);                                                            \
  }

#endif
