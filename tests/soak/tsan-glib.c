/* tsan-glib.c — tells ThreadSanitizer where GLib hands memory from one thread to another.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GLib is not instrumented, and its mutexes are futexes, so every use of them would look like a
 * race. The functions here stand before GLib's (the program comes first in the search for symbols),
 * call them, and tell the sanitiser what they promise: what happened before one thread let go
 * happens before the other takes hold. Only in the build for ThreadSanitizer; no lock is added.
 *
 * What each promises: a mutex, what its documentation says; a condition, that waiting unlocks and
 * locks; a reference count, that whoever frees sees what all others did; a source or a pool of
 * threads, that the callback sees what was done before it was handed over. Inside GLib calls are
 * bound directly and do not come by here; between libraries, and from us, they do.
 */
#include <dlfcn.h>
#include <gio/gio.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

/* The function of that name in GLib itself, looked up once: dlsym takes a lock. */
#define NEXT(name)                                              \
  ({                                                            \
    static gpointer known;                                      \
    gpointer found = __atomic_load_n(&known, __ATOMIC_ACQUIRE); \
    if (!found) {                                               \
      found = dlsym(RTLD_NEXT, #name);                          \
      __atomic_store_n(&known, found, __ATOMIC_RELEASE);        \
    }                                                           \
    (__typeof__(&name)) found;                                  \
  })

/* ---- Locks ---------------------------------------------------------------------------------- */

void
g_mutex_lock(GMutex *mutex)
{
  NEXT(g_mutex_lock)(mutex);
  __tsan_acquire(mutex);
}

void
g_mutex_unlock(GMutex *mutex)
{
  __tsan_release(mutex);
  NEXT(g_mutex_unlock)(mutex);
}

void
g_cond_wait(GCond *cond, GMutex *mutex)
{
  __tsan_release(mutex);
  NEXT(g_cond_wait)(cond, mutex);
  __tsan_acquire(mutex);
}

gboolean
g_cond_wait_until(GCond *cond, GMutex *mutex, gint64 end)
{
  __tsan_release(mutex);
  gboolean signalled = NEXT(g_cond_wait_until)(cond, mutex, end);
  __tsan_acquire(mutex);
  return signalled;
}

/* ---- Reference counts ----------------------------------------------------------------------- */

void(g_object_unref)(gpointer object)
{
  __tsan_release(object);
  __tsan_acquire(object);
  NEXT(g_object_unref)(object);
}

void
g_bytes_unref(GBytes *bytes)
{
  if (bytes) {
    __tsan_release(bytes);
    __tsan_acquire(bytes);
  }
  NEXT(g_bytes_unref)(bytes);
}

/* Ours are inline calls of these two. */
gboolean(g_atomic_ref_count_dec)(gatomicrefcount *count)
{
  __tsan_release((gpointer) count);
  gboolean last = NEXT(g_atomic_ref_count_dec)(count);
  if (last)
    __tsan_acquire((gpointer) count);
  return last;
}

/* ---- Sources -------------------------------------------------------------------------------- */

typedef struct {
  GSourceFunc function;
  gpointer data;
  GDestroyNotify notify;
} Handed;

static gboolean
run_handed(gpointer data)
{
  Handed *handed = data;
  __tsan_acquire(handed);
  return handed->function(handed->data);
}

static void
free_handed(gpointer data)
{
  Handed *handed = data;
  __tsan_acquire(handed);
  if (handed->notify)
    handed->notify(handed->data);
  g_free(handed);
}

void
g_source_set_callback(GSource *source, GSourceFunc function, gpointer data, GDestroyNotify notify)
{
  /* The callbacks of other kinds of source take other arguments; they do not change threads. */
  if (source->source_funcs != &g_idle_funcs && source->source_funcs != &g_timeout_funcs) {
    NEXT(g_source_set_callback)(source, function, data, notify);
    return;
  }
  Handed *handed = g_new(Handed, 1);
  *handed = (Handed){function, data, notify};
  __tsan_release(handed);
  NEXT(g_source_set_callback)(source, run_handed, handed, free_handed);
}

/* ---- Pools of threads ------------------------------------------------------------------------ */

typedef struct {
  GFunc function;
  gpointer user_data;
} Pooled;

static void
run_pooled(gpointer data, gpointer user_data)
{
  const Pooled *pooled = user_data;
  __tsan_acquire(data);
  pooled->function(data, pooled->user_data);
}

GThreadPool *
g_thread_pool_new(GFunc function, gpointer user_data, gint max_threads, gboolean exclusive,
                  GError **error)
{
  Pooled *pooled = g_new(Pooled, 1); /* as long as the pool, which is the process's */
  *pooled = (Pooled){function, user_data};
  return NEXT(g_thread_pool_new)(run_pooled, pooled, max_threads, exclusive, error);
}

gboolean
g_thread_pool_push(GThreadPool *pool, gpointer data, GError **error)
{
  __tsan_release(data);
  return NEXT(g_thread_pool_push)(pool, data, error);
}
