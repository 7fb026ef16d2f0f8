// What the game is, as the server states it: board, cards, numbers of actions.

export const facts = JSON.parse(document.getElementById("facts").textContent);
