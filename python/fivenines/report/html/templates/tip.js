// fivenines.about: what the page's charts share, from <script type="application/json" id="about">.
// fivenines.tip(text, x, y): shows a text at a place of the window; fivenines.tip() hides it. Lines are separated by
//   a line feed, the first is the heading. fivenines.say does the same, and announces the text.
// fivenines.unpack(text): decodes JSON from base64 of gzip.
(() => {
  "use strict";
  const fivenines = (window.fivenines = window.fivenines || {});
  const common = document.getElementById("about");
  fivenines.about = common ? JSON.parse(common.textContent) : { solutions: [] };

  const box = document.createElement("div");
  box.id = "tip";
  box.setAttribute("role", "tooltip");
  box.hidden = true;

  const announcement = document.createElement("p");
  announcement.className = "unseen";
  announcement.setAttribute("aria-live", "polite");

  fivenines.tip = (text, x, y) => {
    box.hidden = !text;
    if (!text) return;
    if (!box.isConnected) document.body.append(box);
    const [head, ...rest] = text.split("\n");
    const strong = document.createElement("strong");
    strong.textContent = head;
    box.replaceChildren(strong, ...rest.flatMap(line => [document.createElement("br"), line]));
    const room = document.documentElement.clientWidth;
    const left = x + 14 + box.offsetWidth > room ? x - 14 - box.offsetWidth : x + 14;
    box.style.left = `${Math.max(4, left)}px`;
    box.style.top = `${Math.max(4, y - box.offsetHeight - 10)}px`;
  };

  fivenines.say = (text, x, y) => {
    if (!announcement.isConnected) document.body.append(announcement);
    announcement.textContent = text.replaceAll("\n", ", ");
    fivenines.tip(text, x, y);
  };

  fivenines.unpack = async text => {
    const bytes = Uint8Array.from(atob(text.trim()), letter => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(plain).text());
  };
})();
