// The routes that the pages use.  A failed request throws `Refused` with one sentence.

export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

const SILENT = "The server does not answer. Is it still running?";

async function ask(method, path, body) {
  const options = { method, headers: { Accept: "application/json" }, cache: "no-store" };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Refused(0, SILENT);
  }
  let content;
  try {
    content = await answer.json();
  } catch {
    throw new Refused(answer.status, `The server's answer (${answer.status}) cannot be read.`);
  }
  if (!answer.ok) throw new Refused(answer.status, content.error ?? `The server refused (${answer.status}).`);
  return content;
}

const get = (path) => ask("GET", path);
const post = (path, body) => ask("POST", path, body);
const seat = (token) => `/api/seat/${encodeURIComponent(token)}`;
const watch = (id) => `/api/watch/${encodeURIComponent(id)}`;
const record = (id) => `/api/records/${encodeURIComponent(id)}`;

export const api = {
  lobby: () => get("/api/lobby"),
  compiled: () => get("/api/compiled"),
  makeTable: (setup) => post("/api/tables", setup),
  seat: (token) => get(seat(token)),
  seatStream: (token) => `${seat(token)}/stream`,
  answer: (token, number, action) => post(`${seat(token)}/answer`, { number, action }),
  notebook: (token) => get(`${seat(token)}/notebook`),
  after: (token) => get(`${seat(token)}/after`),
  again: (token) => post(`${seat(token)}/again`, {}),
  watch: (id) => get(watch(id)),
  afterWatch: (id) => get(`${watch(id)}/after`),
  watchAgain: (id) => post(`${watch(id)}/again`, {}),
  watchStream: (id) => `${watch(id)}/stream`,
  control: (id, order) => post(`${watch(id)}/control`, order),
  beliefs: (id) => get(`${watch(id)}/beliefs`),
  record: (id) => get(record(id)),
  notebooks: (id, line) => get(`${record(id)}/notebooks/${line}`),
  recordBeliefs: (id) => get(`${record(id)}/beliefs`),
  explain: (id, question) => post(`${record(id)}/explain`, question),
};
