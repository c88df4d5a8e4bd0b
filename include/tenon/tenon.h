/* tenon/tenon.h: includes the whole public interface. */
#ifndef TENON_TENON_H
#define TENON_TENON_H
#include <tenon/base.h>
#include <tenon/batch.h>
#include <tenon/collide.h>
#include <tenon/definitions.h>
#include <tenon/derivatives.h>
#include <tenon/fit.h>
#include <tenon/model.h>
#include <tenon/model_info.h>
#include <tenon/plan.h>
#include <tenon/problem_file.h>
#include <tenon/record.h>
#include <tenon/scene.h>
#include <tenon/solver.h>
#include <tenon/tet_mesh.h>
#include <tenon/world.h>
#endif
