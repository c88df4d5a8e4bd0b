// The version of this site in its side bar; a menu, where docs/build --publish has put several versions side by side.
addEventListener("DOMContentLoaded", () => {
  const brand = document.querySelector(".sidebar-brand");
  if (!brand) return;
  const root = new URL(document.documentElement.dataset.content_root || "./", location.href);
  const list = document.createElement("script"); // no fetch: it works from files, too
  list.src = new URL("../versions.js", root);
  list.onload = () => {
    const name = decodeURIComponent(root.pathname.split("/").at(-2));
    const menu = document.createElement("select");
    menu.setAttribute("aria-label", "version");
    menu.className = "versions";
    for (const version of window.TENON_VERSIONS || []) menu.add(new Option(version, version, false, version === name));
    menu.onchange = () => (location.href = new URL(`../${encodeURIComponent(menu.value)}/index.html`, root));
    if (menu.length > 1) brand.after(menu);
  };
  document.head.append(list);
});
