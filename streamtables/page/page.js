const main = document.querySelector("main");
async function renew() {
  if (document.hidden || String(getSelection())) return;
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    if (!answer.ok) throw new Error(answer.status);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
    for (const opened of main.querySelectorAll("details[open]"))
      for (const same of fresh.querySelectorAll("details"))
        if (same.dataset.key === opened.dataset.key) same.open = true;
    const left = main.querySelector(".st-graph")?.scrollLeft ?? 0;
    main.replaceChildren(...fresh.childNodes);
    const graph = main.querySelector(".st-graph");
    if (graph) graph.scrollLeft = left;
    document.body.classList.remove("stale");
  } catch {
    document.body.classList.add("stale");
  }
}
async function go() {
  await renew();
  setTimeout(go, 5000);
}
if (location.protocol !== "file:") setTimeout(go, 5000);
