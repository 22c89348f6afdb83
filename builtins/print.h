/* The engine of printf, for `print -f` and whoever formats by a script's wish. */
#ifndef BUILTINS_PRINT_H
#define BUILTINS_PRINT_H

#include "builtins/builtin.h"

/* Writes the COUNT texts of ARGV to OUT by FORMAT, used again until all are written. NAME is for
 * messages. Texts that are no numbers are reported at once; *RET_STATUS tells. */
enum flow printf_format(struct shell *sh, struct out *out, const char *name, const char *format,
                        const char *const *argv, size_t count, int *ret_status) NODISCARD;

/* printf_quote.c: %#q, %H, %#H, %P, %R. */
void quote_csv(struct str *s, const char *text, size_t len);
void quote_html(struct str *s, const char *text, size_t len);
void quote_url(struct str *s, const char *text, size_t len);
void quote_ere_to_pattern(struct str *s, const char *text, size_t len);
void quote_pattern_to_ere(struct str *s, const char *text, size_t len);
/* The value of a variable for %B; of binary data the bytes, of an array the list, with LINES an
 * element a line. NAME is for messages. */
enum flow quote_variable(struct shell *sh, const char *name, const char *variable, bool lines,
                         struct str *s) NODISCARD;

/* printf_time.c: the date DATE formatted by FORMAT (NULL: the default one). False: DATE was not
 * understood. */
bool time_format(struct shell *sh, struct str *s, const char *format, const char *date);
/* printf_date.c: DATE as a point in time. */
bool time_parse(const char *date, int64_t now_ns, int64_t *ret_ns);

#endif
