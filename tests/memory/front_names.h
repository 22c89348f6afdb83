/*
 * front_names.h: gives the malloc front other names, so that a program can hold it beside the
 * malloc of ThreadSanitizer. Included before everything else (-include).
 */
#ifndef TESTS_FRONT_NAMES_H
#define TESTS_FRONT_NAMES_H

#define malloc             tested_malloc
#define calloc             tested_calloc
#define realloc            tested_realloc
#define reallocarray       tested_reallocarray
#define free               tested_free
#define memalign           tested_memalign
#define aligned_alloc      tested_aligned_alloc
#define posix_memalign     tested_posix_memalign
#define valloc             tested_valloc
#define pvalloc            tested_pvalloc
#define malloc_usable_size tested_malloc_usable_size
#define malloc_trim        tested_malloc_trim
#define mallopt            tested_mallopt
#define mallinfo2          tested_mallinfo2

#endif
