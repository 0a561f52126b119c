// The only way anything gets onto a page here: elements by name, attributes by name, text as text.

const SVG = "http://www.w3.org/2000/svg";

/** Makes an element. Strings among `children` become text nodes; null and false are left out. */
export function h(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same within a picture. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  put(element, ...children);
  return element;
}

/** Adds children to an element; text goes in as text. */
export function put(element, ...children) {
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/** Replaces everything in an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  return put(element, ...children);
}

export const byId = (id) => document.getElementById(id);

/** What the server wrote into the head of this page. */
export function meta(name) {
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? "";
}
