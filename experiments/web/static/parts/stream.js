// Messages as they come.  A lost connection is said, and made again from the message after the last.

const WAIT = 2000;

/**
 * Follow the server-sent events of `path`.
 *
 * `on.message(message)` gets each message once, `on.lost()` and `on.back()` tell of the connection.
 * A browser goes on by itself after the number of the last message.  Where it gives up, since the
 * server refused, all begins again from the first message: `on.again()` is called before that.
 */
export function follow(path, on) {
  let source;

  function open() {
    source = new EventSource(path);
    source.onopen = () => on.back();
    source.onmessage = (event) => on.message(JSON.parse(event.data));
    source.onerror = () => {
      on.lost();
      if (source.readyState !== EventSource.CLOSED) return;
      setTimeout(() => {
        on.again();
        open();
      }, WAIT);
    };
  }

  open();
  addEventListener("pagehide", () => source.close());
}
