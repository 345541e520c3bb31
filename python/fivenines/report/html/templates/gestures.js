// fivenines.gestures(element, line): pointer, wheel and keys of a time line.
//   line: {state: {from, to, now}, by, pan, zoom, all, words} of timeline.js.
(() => {
  "use strict";
  const fivenines = window.fivenines;

  // The place of the plots in the window; all panels have the same left and right edges.
  const plot = element => element.querySelector(".u-over").getBoundingClientRect();

  fivenines.gestures = (element, line) => {
    const { state } = line;
    const cursor = document.createElement("i");
    const stretch = document.createElement("i");
    cursor.className = "cursor";
    stretch.className = "stretch";
    cursor.hidden = stretch.hidden = true;
    element.append(cursor, stretch);
    let at = null;
    let begun = null;

    const moment = x => {
      const place = plot(element);
      const part = Math.min(1, Math.max(0, (x - place.left) / place.width));
      return state.from + part * (state.to - state.from);
    };
    const left = t => {
      const place = plot(element);
      const part = (t - state.from) / (state.to - state.from);
      return place.left - element.getBoundingClientRect().left + part * place.width;
    };
    const inside = x => { const place = plot(element); return x >= place.left && x <= place.right; };

    const point = (t, say, x, y) => {
      at = t;
      cursor.hidden = t === null;
      if (t === null) { fivenines.tip(); return; }
      cursor.style.left = `${left(t)}px`;
      say(line.words(t), x, y);
    };
    const away = () => point(null);

    element.addEventListener("pointermove", event => {
      if (begun !== null) {
        const ends = [left(begun), left(moment(event.clientX))].sort((a, b) => a - b);
        stretch.hidden = false;
        stretch.style.left = `${ends[0]}px`;
        stretch.style.width = `${ends[1] - ends[0]}px`;
      }
      if (inside(event.clientX)) point(moment(event.clientX), fivenines.tip, event.clientX, event.clientY);
      else away();
    });
    element.addEventListener("pointerleave", away);
    element.addEventListener("pointerdown", event => {
      if (event.button !== 0 || !inside(event.clientX)) return;
      begun = moment(event.clientX);
      element.focus({ preventScroll: true });
      element.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    const release = event => {
      if (begun === null) return;
      const ended = moment(event.clientX);
      const wide = Math.abs(left(ended) - left(begun));
      if (event.type === "pointerup" && wide > 5) line.zoom(Math.min(begun, ended), Math.max(begun, ended));
      begun = null;
      stretch.hidden = true;
    };
    element.addEventListener("pointerup", release);
    element.addEventListener("pointercancel", release);
    element.addEventListener("dblclick", () => line.all());
    element.addEventListener("wheel", event => {
      // Charts must not capture the wheel while the page scrolls.
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== element) return;
      event.preventDefault();
      line.by(event.deltaY < 0 ? 0.7 : 1 / 0.7, moment(event.clientX));
    }, { passive: false });

    element.tabIndex = 0;
    element.setAttribute("role", "group");
    element.setAttribute("aria-roledescription",
      "time line; arrow keys go through time, with shift by halves, plus and minus zoom, 0 shows all");
    element.addEventListener("keydown", event => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step && event.shiftKey) line.pan(step / 2);
      else if (step) {
        const from = at === null ? state.from : at;
        const t = Math.min(state.to, Math.max(state.from, from + step * state.now.ms / 1000));
        const place = plot(element);
        point(t, fivenines.say, element.getBoundingClientRect().left + left(t), place.top + 10);
      } else if (event.key === "+") line.by(0.5, at ?? undefined);
      else if (event.key === "-") line.by(2, at ?? undefined);
      else if (event.key === "0") line.all();
      else return;
      event.preventDefault();
    });
    element.addEventListener("blur", away);
  };
})();
