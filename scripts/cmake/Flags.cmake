# Compiler flags of every target; warnings are errors with gcc and clang.
add_library(project_flags INTERFACE)
target_compile_definitions(project_flags INTERFACE _GNU_SOURCE MEM_DEBUG=${MEM_DEBUG})
target_compile_options(project_flags INTERFACE
    -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
    -Wwrite-strings -Wundef -Wformat=2 -Wno-psabi -fno-strict-aliasing -fno-common)
set(CMAKE_C_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
