# IT_TRY_CFLAGS(VARIABLE, FLAGS): appends each flag that the compiler takes.
AC_DEFUN([IT_TRY_CFLAGS], [
  for it_flag in $2; do
    AC_MSG_CHECKING([whether $CC takes $it_flag])
    it_saved="$CFLAGS"
    CFLAGS="$CFLAGS -Werror $it_flag"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
      [AC_MSG_RESULT([yes]); $1="$$1 $it_flag"], [AC_MSG_RESULT([no])])
    CFLAGS="$it_saved"
  done
])

# IT_TRY_LDFLAGS(VARIABLE, FLAGS): the same for the linker.
AC_DEFUN([IT_TRY_LDFLAGS], [
  for it_flag in $2; do
    AC_MSG_CHECKING([whether the linker takes $it_flag])
    it_saved="$LDFLAGS"
    LDFLAGS="$LDFLAGS $it_flag"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
      [AC_MSG_RESULT([yes]); $1="$$1 $it_flag"], [AC_MSG_RESULT([no])])
    LDFLAGS="$it_saved"
  done
])
