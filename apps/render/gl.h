/* gl.h: the OpenGL 3.3 core functions that are used here, as a table of pointers. Each renderer
 * loads its own table from the context that is current, so that no library of OpenGL is linked and
 * two contexts never share a pointer. */
#ifndef TENON_RENDER_GL_H
#define TENON_RENDER_GL_H

#include "renderer.h"

#include <GL/glcorearb.h>
#ifdef _WIN32 /* it includes windows.h, which has macros of these names */
#undef near
#undef far
#endif

/* X(type of the pointer, name without gl) */
#define GL_FUNCTIONS(X)                                                                            \
    X(PFNGLACTIVETEXTUREPROC, ActiveTexture)                                                       \
    X(PFNGLATTACHSHADERPROC, AttachShader)                                                         \
    X(PFNGLBINDATTRIBLOCATIONPROC, BindAttribLocation)                                             \
    X(PFNGLBINDBUFFERPROC, BindBuffer)                                                             \
    X(PFNGLBINDBUFFERBASEPROC, BindBufferBase)                                                     \
    X(PFNGLBINDFRAMEBUFFERPROC, BindFramebuffer)                                                   \
    X(PFNGLBINDRENDERBUFFERPROC, BindRenderbuffer)                                                 \
    X(PFNGLBINDTEXTUREPROC, BindTexture)                                                           \
    X(PFNGLBINDVERTEXARRAYPROC, BindVertexArray)                                                   \
    X(PFNGLBLENDFUNCPROC, BlendFunc)                                                               \
    X(PFNGLBLENDFUNCSEPARATEPROC, BlendFuncSeparate)                                               \
    X(PFNGLBLITFRAMEBUFFERPROC, BlitFramebuffer)                                                   \
    X(PFNGLBUFFERDATAPROC, BufferData)                                                             \
    X(PFNGLBUFFERSUBDATAPROC, BufferSubData)                                                       \
    X(PFNGLCHECKFRAMEBUFFERSTATUSPROC, CheckFramebufferStatus)                                     \
    X(PFNGLCLEARPROC, Clear)                                                                       \
    X(PFNGLCLEARBUFFERFVPROC, ClearBufferfv)                                                       \
    X(PFNGLCLEARBUFFERUIVPROC, ClearBufferuiv)                                                     \
    X(PFNGLCLEARCOLORPROC, ClearColor)                                                             \
    X(PFNGLCOLORMASKPROC, ColorMask)                                                               \
    X(PFNGLCOMPILESHADERPROC, CompileShader)                                                       \
    X(PFNGLCREATEPROGRAMPROC, CreateProgram)                                                       \
    X(PFNGLCREATESHADERPROC, CreateShader)                                                         \
    X(PFNGLCULLFACEPROC, CullFace)                                                                 \
    X(PFNGLDELETEBUFFERSPROC, DeleteBuffers)                                                       \
    X(PFNGLDELETEFRAMEBUFFERSPROC, DeleteFramebuffers)                                             \
    X(PFNGLDELETEPROGRAMPROC, DeleteProgram)                                                       \
    X(PFNGLDELETERENDERBUFFERSPROC, DeleteRenderbuffers)                                           \
    X(PFNGLDELETESHADERPROC, DeleteShader)                                                         \
    X(PFNGLDELETETEXTURESPROC, DeleteTextures)                                                     \
    X(PFNGLDELETEVERTEXARRAYSPROC, DeleteVertexArrays)                                             \
    X(PFNGLDEPTHFUNCPROC, DepthFunc)                                                               \
    X(PFNGLDEPTHMASKPROC, DepthMask)                                                               \
    X(PFNGLDISABLEPROC, Disable)                                                                   \
    X(PFNGLDISABLEVERTEXATTRIBARRAYPROC, DisableVertexAttribArray)                                 \
    X(PFNGLDRAWARRAYSPROC, DrawArrays)                                                             \
    X(PFNGLDRAWARRAYSINSTANCEDPROC, DrawArraysInstanced)                                           \
    X(PFNGLDRAWBUFFERPROC, DrawBuffer)                                                             \
    X(PFNGLDRAWELEMENTSPROC, DrawElements)                                                         \
    X(PFNGLDRAWELEMENTSINSTANCEDPROC, DrawElementsInstanced)                                       \
    X(PFNGLENABLEPROC, Enable)                                                                     \
    X(PFNGLENABLEVERTEXATTRIBARRAYPROC, EnableVertexAttribArray)                                   \
    X(PFNGLFINISHPROC, Finish)                                                                     \
    X(PFNGLFRAMEBUFFERRENDERBUFFERPROC, FramebufferRenderbuffer)                                   \
    X(PFNGLFRAMEBUFFERTEXTURE2DPROC, FramebufferTexture2D)                                         \
    X(PFNGLFRONTFACEPROC, FrontFace)                                                               \
    X(PFNGLGENBUFFERSPROC, GenBuffers)                                                             \
    X(PFNGLGENFRAMEBUFFERSPROC, GenFramebuffers)                                                   \
    X(PFNGLGENRENDERBUFFERSPROC, GenRenderbuffers)                                                 \
    X(PFNGLGENTEXTURESPROC, GenTextures)                                                           \
    X(PFNGLGENVERTEXARRAYSPROC, GenVertexArrays)                                                   \
    X(PFNGLGENERATEMIPMAPPROC, GenerateMipmap)                                                     \
    X(PFNGLGETATTRIBLOCATIONPROC, GetAttribLocation)                                               \
    X(PFNGLGETERRORPROC, GetError)                                                                 \
    X(PFNGLGETFLOATVPROC, GetFloatv)                                                               \
    X(PFNGLGETINTEGERVPROC, GetIntegerv)                                                           \
    X(PFNGLGETPROGRAMINFOLOGPROC, GetProgramInfoLog)                                               \
    X(PFNGLGETPROGRAMIVPROC, GetProgramiv)                                                         \
    X(PFNGLGETSHADERINFOLOGPROC, GetShaderInfoLog)                                                 \
    X(PFNGLGETSHADERIVPROC, GetShaderiv)                                                           \
    X(PFNGLGETSTRINGPROC, GetString)                                                               \
    X(PFNGLGETUNIFORMBLOCKINDEXPROC, GetUniformBlockIndex)                                         \
    X(PFNGLGETUNIFORMLOCATIONPROC, GetUniformLocation)                                             \
    X(PFNGLISENABLEDPROC, IsEnabled)                                                               \
    X(PFNGLLINKPROGRAMPROC, LinkProgram)                                                           \
    X(PFNGLMAPBUFFERRANGEPROC, MapBufferRange)                                                     \
    X(PFNGLPIXELSTOREIPROC, PixelStorei)                                                           \
    X(PFNGLPOLYGONMODEPROC, PolygonMode)                                                           \
    X(PFNGLPOLYGONOFFSETPROC, PolygonOffset)                                                       \
    X(PFNGLREADBUFFERPROC, ReadBuffer)                                                             \
    X(PFNGLREADPIXELSPROC, ReadPixels)                                                             \
    X(PFNGLRENDERBUFFERSTORAGEPROC, RenderbufferStorage)                                           \
    X(PFNGLRENDERBUFFERSTORAGEMULTISAMPLEPROC, RenderbufferStorageMultisample)                     \
    X(PFNGLSCISSORPROC, Scissor)                                                                   \
    X(PFNGLSHADERSOURCEPROC, ShaderSource)                                                         \
    X(PFNGLTEXIMAGE2DPROC, TexImage2D)                                                             \
    X(PFNGLTEXPARAMETERFVPROC, TexParameterfv)                                                     \
    X(PFNGLTEXPARAMETERFPROC, TexParameterf)                                                       \
    X(PFNGLTEXPARAMETERIPROC, TexParameteri)                                                       \
    X(PFNGLTEXSUBIMAGE2DPROC, TexSubImage2D)                                                       \
    X(PFNGLUNIFORM1FPROC, Uniform1f)                                                               \
    X(PFNGLUNIFORM1IPROC, Uniform1i)                                                               \
    X(PFNGLUNIFORM1UIPROC, Uniform1ui)                                                             \
    X(PFNGLUNIFORM2FPROC, Uniform2f)                                                               \
    X(PFNGLUNIFORM3FPROC, Uniform3f)                                                               \
    X(PFNGLUNIFORM3FVPROC, Uniform3fv)                                                             \
    X(PFNGLUNIFORM4FPROC, Uniform4f)                                                               \
    X(PFNGLUNIFORM4FVPROC, Uniform4fv)                                                             \
    X(PFNGLUNIFORMBLOCKBINDINGPROC, UniformBlockBinding)                                           \
    X(PFNGLUNIFORMMATRIX4FVPROC, UniformMatrix4fv)                                                 \
    X(PFNGLUNMAPBUFFERPROC, UnmapBuffer)                                                           \
    X(PFNGLUSEPROGRAMPROC, UseProgram)                                                             \
    X(PFNGLVERTEXATTRIBDIVISORPROC, VertexAttribDivisor)                                           \
    X(PFNGLVERTEXATTRIBIPOINTERPROC, VertexAttribIPointer)                                         \
    X(PFNGLVERTEXATTRIBPOINTERPROC, VertexAttribPointer)                                           \
    X(PFNGLVIEWPORTPROC, Viewport)

typedef struct Gl {
#define GL_MEMBER(TYPE, NAME) TYPE NAME;
    GL_FUNCTIONS(GL_MEMBER)
#undef GL_MEMBER
} Gl;

/* False where a function is not there; `missing` (may be NULL) then names the first one. */
bool gl_load(Gl *gl, GlLoader loader, const char **missing);

/* A program of two shaders; both texts carry their #version. 0 and the compiler's words in `error`
 * where they do not compile or link. */
unsigned gl_program(const Gl *gl, const char *vertex, const char *fragment, char *error,
                    size_t error_size);

#endif
