/* gl.c: loads the table of OpenGL functions; compiles programs. */
#include "gl.h"

#include <stdio.h>
#include <string.h>

bool gl_load(Gl *gl, GlLoader loader, const char **missing)
{
#define GL_LOAD(TYPE, NAME)                                                                        \
    gl->NAME = (TYPE)loader("gl" #NAME);                                                           \
    if (!gl->NAME) {                                                                               \
        if (missing) *missing = "gl" #NAME;                                                        \
        return false;                                                                              \
    }
    GL_FUNCTIONS(GL_LOAD)
#undef GL_LOAD
    return true;
}

static unsigned compile(const Gl *gl, GLenum kind, const char *text, char *error, size_t error_size)
{
    GLuint shader = gl->CreateShader(kind);
    GLint fine = 0;
    gl->ShaderSource(shader, 1, &text, NULL);
    gl->CompileShader(shader);
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &fine);
    if (fine) return shader;
    char log[400] = "";
    gl->GetShaderInfoLog(shader, (GLsizei)sizeof log, NULL, log);
    if (error_size)
        snprintf(error, error_size, "the OpenGL driver refuses a %s shader: %s",
                 kind == GL_VERTEX_SHADER ? "vertex" : "fragment", log);
    gl->DeleteShader(shader);
    return 0;
}

unsigned gl_program(const Gl *gl, const char *vertex, const char *fragment, char *error,
                    size_t error_size)
{
    GLuint first = compile(gl, GL_VERTEX_SHADER, vertex, error, error_size);
    if (!first) return 0;
    GLuint second = compile(gl, GL_FRAGMENT_SHADER, fragment, error, error_size);
    if (!second) {
        gl->DeleteShader(first);
        return 0;
    }
    GLuint program = gl->CreateProgram();
    GLint fine = 0;
    gl->AttachShader(program, first);
    gl->AttachShader(program, second);
    gl->LinkProgram(program);
    gl->DeleteShader(first); /* they live on as long as the program does */
    gl->DeleteShader(second);
    gl->GetProgramiv(program, GL_LINK_STATUS, &fine);
    if (fine) return program;
    char log[400] = "";
    gl->GetProgramInfoLog(program, (GLsizei)sizeof log, NULL, log);
    if (error_size) snprintf(error, error_size, "the OpenGL driver cannot link a program: %s", log);
    gl->DeleteProgram(program);
    return 0;
}
