/* commands.h: the commands of `tenon`, one file each (cmd_*.c). They get the arguments after their
 * name and return an exit code of ../common/app.h. */
#ifndef TENON_COMMANDS_H
#define TENON_COMMANDS_H

int cmd_run(int argc, char **argv);
int cmd_view(int argc, char **argv);
int cmd_render(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_solve(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_eval(int argc, char **argv);
int cmd_validate(int argc, char **argv);
int cmd_verify(int argc, char **argv);

#endif
