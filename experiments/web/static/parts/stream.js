// A stream of messages.  A lost connection is reported, and resumed after the last message.

const WAIT = 2000;

/** Kinds of messages that end a stream. */
const LAST = ["over", "halted"];

/**
 * Follow the server-sent events of `path`.
 *
 * `on.message(message)` gets each message once, `on.lost()` and `on.back()` follow the connection.
 * A browser resumes by itself after the number of the last event.  If the stream restarts from the
 * first event, because the browser gave up or the server forgot, `on.again()` is called first.
 */
export function follow(path, on) {
  let source;
  let last = -1;

  function begin() {
    if (last >= 0) on.again();
    last = -1;
  }

  function receive(sent) {
    const message = JSON.parse(sent.data);
    if (message.kind === "event") {
      const number = Number(sent.lastEventId);
      if (number <= last) begin();
      last = number;
    }
    on.message(message);
    if (LAST.includes(message.kind)) source.close();
  }

  function open() {
    source = new EventSource(path);
    source.onopen = () => on.back();
    source.onmessage = receive;
    source.onerror = () => {
      on.lost();
      if (source.readyState !== EventSource.CLOSED) return;
      setTimeout(() => {
        begin();
        open();
      }, WAIT);
    };
  }

  open();
  addEventListener("pagehide", () => source.close());
}
