// fivenines.keys(element): the arrow keys step through the values of a chart and announce each.
(() => {
  "use strict";
  const fivenines = window.fivenines;

  const announcement = document.createElement("p");
  announcement.className = "unseen";
  announcement.setAttribute("aria-live", "polite");

  // Marks with a text, in the order of drawing; Vega stores the item at its element.
  const values = element =>
    [...element.querySelectorAll("svg path, svg line, svg rect")].filter(
      one => one.__data__ && one.__data__.tooltip);

  fivenines.say = (text, x, y) => {
    if (!announcement.isConnected) document.body.append(announcement);
    announcement.textContent = text.replaceAll("\n", ", ");
    fivenines.tip(text, x, y);
  };

  fivenines.keys = element => {
    let at = -1;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    element.tabIndex = 0;
    element.setAttribute("role", "group");
    element.setAttribute("aria-roledescription", "chart; arrow keys go through its values");
    element.addEventListener("keydown", event => {
      if (!(event.key in step)) return;
      const marks = values(element);
      if (!marks.length) return;
      event.preventDefault();
      at = (at + step[event.key] + marks.length) % marks.length;
      const place = marks[at].getBoundingClientRect();
      fivenines.say(String(marks[at].__data__.tooltip), place.x + place.width / 2, place.y);
    });
    element.addEventListener("blur", () => { at = -1; fivenines.tip(); });
  };
})();
