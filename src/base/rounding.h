/* rounding.h (internal): what rounding leaves, and what counts as nothing because of it. A number
 * that is another share than these is a threshold of its own, with its own reason. */
#ifndef TN_BASE_ROUNDING_H
#define TN_BASE_ROUNDING_H

/* Share of its terms that rounding may leave of a sum or difference: some thousand operations on
 * doubles. */
#define TN_ROUND_OFF 1e-12
/* Room in comparisons that must not miss anything, and equality of what was computed in two ways:
 * far above rounding, far below what is seen. */
#define TN_ROOM 1e-9
/* rad, a sine, or share of a size: what differs by less is the same. It is the root of
 * TN_ROUND_OFF: angles and distances come from cosines and squares. */
#define TN_SAME 1e-6
/* Share of what a contact or a bond yields in all, below which a direction yields nothing: it lies
 * within a milliradian of one that does not yield, and forces there would have to be thousands of
 * times what they move. What the yield is a difference of leaves TN_ROUND_OFF. */
#define TN_DEAD 1e-6

#endif
