"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const table = byId("codes");

  const keyOf = (row, at) => {
    const held = row.cells[at].dataset.value;
    return held === undefined ? null : held;
  };
  const compare = (left, right, isNumber) =>
    isNumber ? Number(left) - Number(right) : left.localeCompare(right);

  const sortBy = (head, at) => {
    const isNumber = head.dataset.sort === "number";
    const first = isNumber ? "descending" : "ascending";
    const other = isNumber ? "ascending" : "descending";
    const order = head.getAttribute("aria-sort") === first ? other : first;
    for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const rows = [...table.tBodies[0].rows].map((row) => [keyOf(row, at), row]);
    rows.sort(([left], [right]) => {
      if (left === null || right === null) return (left === null) - (right === null);
      return sign * compare(left, right, isNumber);
    });
    table.tBodies[0].append(...rows.map(([, row]) => row));
  };

  if (table) {
    [...table.tHead.rows[0].cells].forEach((head, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sortBy(head, at));
    });
    const form = document.querySelector(".filters");
    const filter = () => {
      const wanted = byId("find").value.trim().toLowerCase();
      const [kind, state] = [byId("class").value, byId("state").value];
      const rows = [...table.tBodies[0].rows];
      for (const row of rows) {
        row.hidden =
          !row.dataset.search.includes(wanted) ||
          (kind !== "" && row.dataset.class !== kind) ||
          (state !== "" && row.dataset.state !== state);
      }
      byId("count").value = `${rows.filter((row) => !row.hidden).length} of ${rows.length} codes`;
    };
    form.hidden = false;
    form.addEventListener("input", filter);
    form.addEventListener("submit", (event) => event.preventDefault());
    filter();
  }

  const unfold = byId("unfold");
  const evidence = () => document.querySelectorAll("details.evidence");
  if (evidence().length) {
    unfold.hidden = false;
    unfold.addEventListener("click", () => {
      const isOpen = unfold.getAttribute("aria-pressed") !== "true";
      unfold.setAttribute("aria-pressed", String(isOpen));
      unfold.textContent = isOpen ? "Fold all evidence" : "Unfold all evidence";
      for (const one of evidence()) one.open = isOpen;
    });
  }

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details.notes:not([open])")];
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
  });
})();
