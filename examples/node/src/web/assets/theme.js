// Light or dark: the system's choice, until somebody picks one here.

const KEY = "sovereign-theme";
const CHOICES = ["auto", "light", "dark"];

export function chosenTheme() {
  try {
    const kept = localStorage.getItem(KEY);
    return CHOICES.includes(kept) ? kept : "auto";
  } catch {
    return "auto";
  }
}

/** Sets the theme of this document; only the three words are taken. */
export function showTheme(choice) {
  document.documentElement.dataset.theme = CHOICES.includes(choice) ? choice : "auto";
}

/** A group of three buttons; `changed` hears of each choice. */
export function themePicker(group, changed = () => {}) {
  const buttons = [...group.querySelectorAll("button[value]")];
  const mark = () => {
    const now = chosenTheme();
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.value === now));
  };
  for (const button of buttons) {
    button.addEventListener("click", () => {
      try {
        localStorage.setItem(KEY, button.value);
      } catch {
        // without storage the choice holds until the page is left
      }
      showTheme(button.value);
      mark();
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      changed(button.value);
    });
  }
  showTheme(chosenTheme());
  mark();
}
