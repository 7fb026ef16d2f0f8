// A study: a person begins or continues with the next game; this browser remembers the person.

import { api } from "./parts/api.js";
import { part, say } from "./parts/dom.js";
import { patiently } from "./parts/patience.js";
import { recall, remember } from "./parts/remembered.js";

const STUDIES = "sleuth.studies"; // personal links by query of the study

/** Do `work` at a click on the button `id`; report errors. */
function at(id, work) {
  part(id)?.addEventListener("click", async ({ target }) => {
    target.disabled = true;
    say(part("fault"), "");
    try {
      await work();
    } catch (fault) {
      say(part("fault"), fault.message);
      target.disabled = false;
    }
  });
}

const query = location.search.slice(1);
const begun = recall(STUDIES, {})[query];
if (part("begin") && begun) {
  part("again-part").hidden = false;
  part("again").href = begun;
  say(part("begin"), "Begin as another person");
  part("begin").classList.remove("main");
}

at("begin", async () => {
  const { link } = await api.beginStudy(query);
  remember(STUDIES, { ...recall(STUDIES, {}), [query]: link });
  location.assign(link);
});

at("next", async () => {
  const report = (words) => say(part("making"), words);
  const token = decodeURIComponent(location.pathname.split("/").at(-1));
  const { link } = await patiently(report, "Preparing the table …", api.nextGame(token));
  if (link) location.assign(link);
  else location.reload();
});
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
