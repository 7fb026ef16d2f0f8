// Facts of the game from the server: board, cards, numbers of actions.

export const facts = JSON.parse(document.getElementById("facts").textContent);
