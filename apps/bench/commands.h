/* commands.h: the commands of `tenon-bench`, one file each (cmd_*.c). They get the arguments after
 * their name and return an exit code of ../common/app.h. */
#ifndef TENON_BENCH_COMMANDS_H
#define TENON_BENCH_COMMANDS_H

int cmd_scene(int argc, char **argv);
int cmd_hard(int argc, char **argv);
int cmd_simbench(int argc, char **argv);
int cmd_table(int argc, char **argv);
int cmd_scaling(int argc, char **argv);
int cmd_convergence(int argc, char **argv);
int cmd_piles(int argc, char **argv);
int cmd_gpu(int argc, char **argv);
int cmd_gpu_batch(int argc, char **argv);
int cmd_threads(int argc, char **argv);
int cmd_ranks(int argc, char **argv);
int cmd_batch(int argc, char **argv);
int cmd_lasting(int argc, char **argv);

#endif
