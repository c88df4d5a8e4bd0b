/* The machine's name; see machine.h. */
#include "machine.h"
#include "platform/threads.h"

#include <string.h>
#include <tenon/tenon.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

Machine machine_info(void)
{
    Machine machine = {.cpu = "unknown", .compiler = COMPILER};
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(machine.cpu, sizeof machine.cpu, "%.120s", colon + 1 + (colon[1] == ' '));
        break;
    }
    if (file) fclose(file);
    machine.cores = tn_thread_processors();
    return machine;
}

void json_machine(Json *json)
{
    Machine machine = machine_info();
    json_begin_object(json, "machine");
    json_string(json, "cpu", machine.cpu);
    json_integer(json, "cores", machine.cores);
    json_string(json, "compiler", machine.compiler);
    json_string(json, "instruction_set", tn_instruction_set_name(tn_instruction_set()));
    json_string(json, "tenon", tn_version());
    json_end(json);
}
