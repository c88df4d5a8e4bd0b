/* All hard scenes, in the order of the table. */
#include "hard.h"

/* clang-format off */
const HardScene hard_scenes[] = {
    {"tower10", "tower", hard_build_tower, 60, .count = 10, .seeded = true},
    {"tower20", "tower", hard_build_tower, 60, .count = 20, .seeded = true},
    {"tower50", "tower", hard_build_tower, 60, .count = 50, .seeded = true},
    {"heavy", "heavy", hard_build_heavy, 10, .number = 1000},
    {"doubling", "doubling", hard_build_doubling, 10, .count = 10},
    {"pyramid", "pyramid", hard_build_pyramid, 10, .count = 10},
    {"wall", "wall", hard_build_wall, 10, .count = 12},
    {"arch-0.12", "arch", hard_build_arch, 10, .count = 20, .number = 0.12},
    {"arch-0.095", "arch", hard_build_arch, 10, .count = 20, .number = 0.095, .falls = true},
    {"cards", "cards", hard_build_cards, 10, .count = 7},
    {"pinch-0.1kg-12N", "pinch", hard_build_pinch, 10, .number = 0.1, .force = 12, .holds = true},
    {"pinch-0.1kg-30N", "pinch", hard_build_pinch, 10, .number = 0.1, .force = 30, .holds = true},
    {"pinch-0.1kg-60N", "pinch", hard_build_pinch, 10, .number = 0.1, .force = 60, .holds = true},
    {"pinch-5kg-12N", "pinch", hard_build_pinch, 10, .number = 5, .force = 12, .holds = true},
    {"pinch-5kg-30N", "pinch", hard_build_pinch, 10, .number = 5, .force = 30, .holds = true},
    {"pinch-5kg-60N", "pinch", hard_build_pinch, 10, .number = 5, .force = 60, .holds = true},
    {"arm", "arm", hard_build_arm, 10, .number = 2, .force = 200, .holds = true},
    {"cradle", "cradle", hard_build_cradle, 0.6, .count = 5},
    {"cradle-air", "cradle", hard_build_cradle, 0.6, .count = 5, .number = 0.001},
    {"shake", "shake", hard_build_tower, 10, .count = 20, .noise = 0.3, .seeded = true},
    {"stacks", "stacks", hard_build_stacks, 2, .count = 1000, .seeded = true},
    {"stacks-asleep", "stacks", hard_build_stacks, 2, .count = 1000, .seeded = true,
     .sleep = TN_SLEEP_PASSIVE},
};
/* clang-format on */
const int hard_scene_count = (int)(sizeof hard_scenes / sizeof hard_scenes[0]);
