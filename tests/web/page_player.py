"""Plays on the page of a seat as hands do: clicks on what is offered."""

from __future__ import annotations


def number(page):
    """Return the number of the question that the page shows, as text; empty if none."""
    return page.locator("#prompt").get_attribute("data-number")


def settle(page, before=None):
    """Wait until something is asked that is not ``before``, or the game is over."""
    page.wait_for_function(
        """(before) => {
            const prompt = document.getElementById("prompt");
            const over = /won\\.|is over/.test(prompt.querySelector("h2").textContent);
            return over || (prompt.dataset.number && prompt.dataset.number !== before);
        }""",
        arg=before,
    )


def over(page):
    title = page.locator("#prompt-title").text_content()
    return "won." in title or "is over" in title


def accuse(page, cards):
    """Accuse ``cards`` (suspect, weapon, room) by clicking; return whether that is offered."""
    offered = page.locator(".prompt-body button.danger")
    if not offered.count():
        return False
    offered.click()
    for name, card in zip(("accused", "accused-weapon", "accused-room"), cards, strict=True):
        page.locator(f"dialog label:has(input[name={name}][value='{card}'])").click()
    page.locator("dialog .main").click()
    page.locator("dialog .main.danger").click()
    return True


def click_on(page, chance):
    """Answer the question of the page by clicking, at random, without accusing."""
    if page.locator("form").count():
        form = page.locator("form")
        for name in ("suspect", "weapon"):
            cards = form.locator(f"label:has(input[name={name}])")
            cards.nth(chance.randrange(cards.count())).click()
        form.get_by_role("button", name="Suggest").click()
    elif page.locator(".target").count() and chance.random() < 0.7:
        near = page.locator(".target.near")
        offered = near if near.count() else page.locator(".target")
        offered.nth(chance.randrange(offered.count())).dispatch_event("click")
    else:
        buttons = page.locator(".prompt-body button:not(.danger)")
        buttons.nth(chance.randrange(buttons.count())).click()


def wait_for_notebook(page):
    """Wait until the notebook knows of all events in the log."""
    page.wait_for_function(
        """() => document.getElementById("notebook").dataset.events ===
            String(document.querySelectorAll("#log li").length)"""
    )
