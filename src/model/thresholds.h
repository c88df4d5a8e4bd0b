/* thresholds.h (internal): numbers that decide something in a step and stand in more than one
 * place: on the CPU, on ranks and on devices. A number of one file is at the top of that file. */
#ifndef TN_MODEL_THRESHOLDS_H
#define TN_MODEL_THRESHOLDS_H

/* z = t² × stiffness / mass up to which a step follows an oscillation, for it turns by no more than
 * a quarter of a period in it; and from which on it can only damp it. */
#define TN_RESOLVED 4.0
#define TN_UNRESOLVED 16.0

/* Below it a length, a speed or a force of a medium, a tendon or a muscle is none. */
#define TN_TINY 1e-15

/* rad, or share of an element's size, in a step: joints of cables and elements that turn or strain
 * by less follow the θ rule; twice that ends it. */
#define TN_SLOW_STRAIN 0.15
/* So many times the solver's error is noise: gaps of joints and depths of as many steps' errors are
 * not corrected, nor an energy of as many m g² t² errors. Taking that off would brake slow motion.
 */
#define TN_ERRORS 3.0
/* rad in a step, or lengths of a link's lever: what moves by less goes about straight on, and ends
 * about where its free motion does. */
#define TN_STRAIGHT 0.1

/* ---- limits and friction of joints ---- */
/* Share of its range at which a limit becomes a row before it could be reached. */
#define TN_LIMIT_SPARE 0.01
/* Of what gravity gives in a step: what closes more slowly is no knock. A limit that is reached so
 * is not hit, and a tree that dry friction stops from less has not far to go. */
#define TN_KNOCK 0.01
/* Of what is slow: it rests. */
#define TN_STOPPED 1e-3

/* ---- where bodies may get ---- */
/* Of how far ahead contacts are listed, and of the smaller body's size: overlap that is no matter.
 */
#define TN_LEAVE 0.02
#define TN_LEAVE_SIZE 1e-5
/* Of how far ahead contacts are listed: those get no deeper; others TN_MISSED. */
#define TN_DEEP 0.45
/* Of the same: a free body is moved aside by no more. Farther off are things that no list has. */
#define TN_MOST_WAY 0.5
/* Of the same, and of the smaller body's size: a contact that is closed by more, and that the step
 * was not solved with, was missed. It gets no deeper than that. */
#define TN_MISSED 0.05
#define TN_MISSED_SIZE 1e-4
/* Two points of a pair are one contact where their normals agree to this cosine, and they are no
 * farther apart than this share of the smaller body. */
#define TN_SAME_NORMAL 0.95
#define TN_SAME_PLACE 0.1
/* m, m/s, rad/s: a state with larger numbers means nothing. */
#define TN_BEYOND_SENSE 1e10

/* Of its length along some direction, or of its volume: an element of a soft body that is shorter
 * is squeezed. It stiffens (squeeze.h), and is to blame for a step that fails. */
#define TN_SQUEEZED 0.3

/* ---- contacts that yield ---- */
/* A second try has contacts that yield so many times as much. */
#define TN_RETREAT 3.0

/* ---- balances ---- */
/* Of the kinetic energy: smooth motion is corrected by no more in a step. */
#define TN_SMOOTH_SHARE 0.02
/* Of the same: so much it may owe, or is owed. */
#define TN_OWED_SHARE 0.1
/* Of the energies involved: less is noise where contacts push. */
#define TN_PUSHED_SHARE 1e-6
/* The same of cables and soft bodies: energy that linearizing what is stiff leaves is let go. */
#define TN_STIFF_SHARE 1e-4
/* What undoing overlaps makes is taken from motion that does not feel it: so much of the kinetic
 * energy. The rest stays: bodies at rest that overlap must come apart. */
#define TN_PUT_OUT_SHARE 0.05
/* Error of a step with a fixed count of iterations, which no map judges: of gravity × timestep. */
#define TN_FIXED_COUNT_ERROR 0.01

#endif
