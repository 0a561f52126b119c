// Text that somebody else wrote, with everything that hides made visible, as core's display does.

// \p{C} is control, format, surrogate, private use and unassigned; the rest draws nothing though it
// is a letter or a mark.
const HIDDEN =
  /[\p{C}\p{Zl}\p{Zp}\u{115f}\u{1160}\u{2800}\u{3164}\u{ffa0}\u{34f}\u{17b4}\u{17b5}\u{180b}-\u{180f}\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]/gu;

const escaped = (c) => `\\u{${c.codePointAt(0).toString(16)}}`;

/** Prose of several lines: line breaks and tabs stay, every other hidden character shows. */
export function prose(text) {
  return String(text).replace(HIDDEN, (c) => (c === "\n" || c === "\t" ? c : escaped(c)));
}

/** What core has escaped already: nothing is changed in it, and nothing hidden gets through. */
export function shown(text) {
  return String(text).replace(HIDDEN, escaped);
}

/** One line: nothing hidden is left, no line break either, and the form can be turned back. */
export function visible(text) {
  return String(text).replaceAll("\\", "\\\\").replace(HIDDEN, escaped);
}

/** A structured value as JSON text in which nothing hides. */
export function json(value) {
  const text = JSON.stringify(value, null, 2) ?? "null";
  return text.replace(HIDDEN, (c) => {
    if (c === "\n") return c;
    return Array.from({ length: c.length }, (_, i) => {
      return `\\u${c.charCodeAt(i).toString(16).padStart(4, "0")}`;
    }).join("");
  });
}

/** The address of a source in ASCII, when it is one that may be opened; else null. */
export function openable(address) {
  let url;
  try {
    url = new URL(address);
  } catch {
    return null;
  }
  const plain = (url.protocol === "http:" || url.protocol === "https:") && !url.username && !url.password;
  return plain && /^[\x21-\x7e]+$/.test(url.href) ? url.href : null;
}
