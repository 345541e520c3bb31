// fivenines.values(chart, tips): marks of a drawing show their values under the pointer, and the arrow keys step
//   through them and announce each. `tips` are the texts of its marks of the class `t`, in the order of drawing, and
//   for each empty group of that class a list of the invisible points of a line: [x, y, text].
(() => {
  "use strict";
  const fivenines = window.fivenines;
  const MARKS = "g.t > *, .t:not(g)";
  const STEP = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

  // The radius of an invisible point, which a finger can hit.
  const WIDE = 5;

  const point = ([x, y]) => {
    const found = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    for (const [name, value] of [["cx", x], ["cy", y], ["r", WIDE]]) found.setAttribute(name, value);
    return found;
  };

  fivenines.values = (chart, given) => {
    const empty = [...chart.querySelectorAll("g.t:empty")];
    const tips = given.flatMap(tip => {
      if (typeof tip === "string") return [tip];
      empty.shift().append(...tip.map(point));
      return tip.map(([, , text]) => text);
    });
    let marks = null;
    let at = -1;
    const all = () => (marks ??= [...chart.querySelectorAll(MARKS)]);

    chart.addEventListener("pointermove", event => {
      const mark = event.target.closest(MARKS);
      fivenines.tip(mark ? tips[all().indexOf(mark)] : "", event.clientX, event.clientY);
    });
    chart.addEventListener("pointerleave", () => fivenines.tip());

    chart.tabIndex = 0;
    chart.setAttribute("role", "group");
    chart.setAttribute("aria-roledescription", "chart; arrow keys go through its values");
    chart.addEventListener("keydown", event => {
      if (!(event.key in STEP)) return;
      event.preventDefault();
      at = (at + STEP[event.key] + tips.length) % tips.length;
      const place = all()[at].getBoundingClientRect();
      fivenines.say(tips[at], place.x + place.width / 2, place.y);
    });
    chart.addEventListener("blur", () => { at = -1; fivenines.tip(); });
  };
})();
