// The content of a page, as a pure fold over the messages of its stream: after a reload the same
// messages lead to the same state.

/**
 * Return the state before the first message.
 *
 * `table` is the server's description of the table (rules, seats, seat), `starts` the start squares
 * by suspect.  `table.seat` is null without a seat.
 */
export function begin(table, starts) {
  const onBoard = table.rules.board !== false;
  return {
    me: table.seat ?? null,
    pawns: table.seats.map(({ suspect }) => ({ xy: onBoard ? starts[suspect] : null, room: null })),
    hands: table.seats.map(() => null),
    out: table.seats.map(() => false),
    faceUp: null,
    envelope: null,
    turn: 0,
    seat: null,
    roll: null,
    asked: null, // the suggestion being answered: { seat, cards, by }
    log: [],
    prompt: null,
    waiting: null,
    search: null, // the latest sample of a search
    over: false,
    trouble: null, // reason why it has stopped for now
    halted: null, // reason why the game cannot continue
    winner: null,
  };
}

/** Return the state after `message`, without changing the given one. */
export function fold(state, message) {
  switch (message.kind) {
    case "event":
      return happened(
        { ...state, log: [...state.log, message.event], prompt: null, waiting: null },
        message.event,
      );
    case "prompt":
      return { ...state, prompt: message.prompt, waiting: message.prompt.seat };
    case "waiting":
      return {
        ...state,
        waiting: message.seat,
        prompt: message.seat === state.me ? state.prompt : null,
      };
    case "search":
      return { ...state, search: message };
    case "over":
      return { ...state, over: true, waiting: null, prompt: null };
    case "trouble":
      return { ...state, trouble: message.error };
    case "halted":
      return { ...state, halted: message.error, waiting: null, prompt: null };
    default:
      return state;
  }
}

function happened(state, event) {
  const { seat } = event;
  switch (event.event) {
    case "deal":
      return { ...state, hands: replaced(state.hands, seat, event.cards) };
    case "face_up":
      return { ...state, faceUp: event.cards };
    case "envelope":
      return { ...state, envelope: event.cards };
    case "roll":
      return { ...begun(state, event), roll: event.steps };
    case "reach":
    case "passage": {
      const place = { xy: event.xy, room: event.room };
      return { ...begun(state, event), pawns: replaced(state.pawns, seat, place) };
    }
    case "suggestion": {
      const asked = { seat, cards: event.cards, by: null };
      const now = { ...begun(state, event), asked };
      if (event.called === null) return now;
      const place = { xy: null, room: state.pawns[seat].room };
      return { ...now, pawns: replaced(state.pawns, event.called, place) };
    }
    case "refute":
      return { ...state, asked: { ...state.asked, by: event.by } };
    case "verdict":
      return event.right ? state : { ...state, out: replaced(state.out, seat, true) };
    case "end":
      return { ...state, over: true, waiting: null, winner: event.winner, envelope: event.envelope };
    default:
      return begun(state, event);
  }
}

/** A turn begins with its first event; without a board there is no roll. */
function begun(state, { turn, seat }) {
  if (turn === state.turn && seat === state.seat) return state;
  return { ...state, turn, seat, roll: null, asked: null };
}

function replaced(list, place, value) {
  return list.map((old, number) => (number === place ? value : old));
}
