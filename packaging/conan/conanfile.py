"""Conan 2: conan create packaging/conan --build=missing"""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir


class Tenon(ConanFile):
    name = "tenon"
    version = "0.1.0"
    description = "Multibody physics with cables, soft bodies and exact frictional contact"
    license = "Apache-2.0"
    homepage = "https://example.org/tenon"
    topics = "physics", "robotics", "multibody-dynamics", "contact", "simulation"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "tools": [True, False]}
    default_options = {"shared": False, "fPIC": True, "tools": False}
    implements = ["auto_shared_fpic"]
    languages = "C"

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for name in ("CMakeLists.txt", "LICENSE", "README.md"):
            copy(self, name, root, self.export_sources_folder)
        for part in ("include", "src", "cmake", "apps", "bench/baselines", "scenes", "web/dist", "examples"):
            copy(self, "*", os.path.join(root, part), os.path.join(self.export_sources_folder, part), excludes="*__pycache__*")

    def requirements(self):
        self.requires("expat/[>=2.6 <3]")
        self.requires("zlib/[>=1.2.11 <2]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TENON_BUILD_TESTS"] = False
        toolchain.cache_variables["TENON_BUILD_APPS"] = bool(self.options.tools)
        toolchain.cache_variables["TENON_INSTALL_KINDS"] = "shared" if self.options.shared else "static"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))  # CMakeDeps and PkgConfigDeps write their own
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "tenon")
        self.cpp_info.set_property("cmake_target_name", "tenon::tenon")
        self.cpp_info.libs = ["tenon"]
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["m", "pthread", "dl"]
