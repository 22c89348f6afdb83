# Compiler flags of every target; warnings are errors with gcc and clang. gcc's guess about maybe-uninitialized
# variables does not see that out-parameters are set whenever a call returns FLOW_NEXT; valgrind does.
add_library(project_flags INTERFACE)
target_compile_definitions(project_flags INTERFACE _GNU_SOURCE MEM_DEBUG=${MEM_DEBUG})
target_compile_options(project_flags INTERFACE
    -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
    -Wwrite-strings -Wundef -Wformat=2 -Wno-psabi $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> -fno-strict-aliasing -fno-common)
set(CMAKE_C_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
