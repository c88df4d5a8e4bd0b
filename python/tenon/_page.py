"""The page that plays a recording, inside a notebook."""

from __future__ import annotations

import base64
import html
import zlib

# The page is long because its player is inside. So it travels packed, and unpacks itself; browsers that can play it can
# do that, too.
_UNPACK = """<!doctype html><meta charset="utf-8"><p>tenon: trust the notebook to see this scene.</p><script>
(async () => {
  const packed = Uint8Array.from(atob("%s"), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const page = await new Response(stream).text();
  document.open();
  document.write(page);
  document.close();
})();
</script>"""


def frame(page: str, height: int = 480) -> str:
    """An <iframe> with the page in it, about a quarter of its size."""
    packed = base64.b64encode(zlib.compress(page.encode(), 9)).decode()
    inside = html.escape(_UNPACK % packed, quote=True)
    return f'<iframe srcdoc="{inside}" style="width: 100%; height: {height}px; border: 0" allowfullscreen></iframe>'
