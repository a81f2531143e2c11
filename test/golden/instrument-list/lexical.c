/* int commented(void) { */
// int continued(void) \
   { still a comment
const char *text = "int in_string(void) {", other = '{';
#if 0
it's prose, with a brace {
int dead(void) { return 0; }
#endif
#if 0 && defined(X)
int dead_too(void) {
#endif
#if 1
int alive(void) { return 1; }
#else
int never(void) { return 2; }
#endif
??=define TRIGRAPH {
%:define DIGRAPH {
#define SEVERAL /* over
lines { */ }
#error it's not a literal
int spli\
ced(int a<:3:>) <% return a<:0:>; %>
/* comment */ #define NOT_FIRST {
static int $dollar(void) { return 0x1p+3 > 1.e-5; }
int fonction_é(void) { return 1; }
