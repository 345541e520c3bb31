// fivenines.values(chart, tips): marks of a drawing show their values under the pointer, and the arrow keys step
//   through them and announce each. `tips` are the texts of its marks of the class `t`, in the order of drawing.
(() => {
  "use strict";
  const fivenines = window.fivenines;
  const MARKS = "g.t > *, .t:not(g)";
  const STEP = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

  fivenines.values = (chart, tips) => {
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
