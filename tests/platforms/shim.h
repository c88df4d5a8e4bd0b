/* shim.h: what tests call of POSIX, on systems that lack it; seen first by every test there. Tests
 * alone: the library has src/base/platform. */
#ifndef TN_TESTS_PLATFORMS_SHIM_H
#define TN_TESTS_PLATFORMS_SHIM_H

#ifdef _WIN32
char *mkdtemp(char *name);
int shim_mkdir(const char *path);
int shim_setenv(const char *name, const char *value);
char *shim_realpath(const char *path, char *out);
#define mkdir(path, ...) shim_mkdir(path)
#define setenv(name, value, always) shim_setenv(name, value)
#define unsetenv(name) shim_setenv(name, "")
#define realpath(path, out) shim_realpath(path, out)
#else
int mkstemp(char *name);
char *mkdtemp(char *name);
int getpid(void);
#endif

#endif
