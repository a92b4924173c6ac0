import type { FieldDoc } from './field-doc.js';

/** The documentation of a field as elements: all content of a schema is inserted as text. */
export function docElement({ name, type, description, constraints }: FieldDoc): HTMLElement {
  const element = document.createElement('div');
  element.className = 'cm-field-doc';
  const head = child(element, 'div', 'cm-field-doc-head');
  child(head, 'strong', 'cm-field-doc-name').textContent = name;
  child(head, 'span', 'cm-field-doc-type').textContent = type;
  if (description !== '') child(element, 'div', '').textContent = description;
  if (constraints.length > 0)
    child(element, 'div', 'cm-field-doc-constraints').textContent = constraints.join(' · ');
  return element;
}

function child(parent: HTMLElement, tag: string, className: string): HTMLElement {
  const element = parent.appendChild(document.createElement(tag));
  element.className = className;
  return element;
}
