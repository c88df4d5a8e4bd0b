"""Models that several tests here load."""
import struct

URDF = """<robot name="two">
  <link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="link"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="package://two_description/meshes/link.stl"/></geometry></visual>
    <collision><geometry><mesh filename="package://two_description/meshes/link.stl"/></geometry></collision></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="link"/><axis xyz="0 1 0"/></joint>
</robot>
"""


def tetrahedron():
    """A binary STL."""
    corners = [(0, 0, 0), (0.3, 0, 0), (0, 0.3, 0), (0, 0, 0.3)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    rows = [struct.pack("<12fH", 0, 0, 0, *(x for k in face for x in corners[k]), 0) for face in faces]
    return b"\0" * 80 + struct.pack("<I", len(rows)) + b"".join(rows)
