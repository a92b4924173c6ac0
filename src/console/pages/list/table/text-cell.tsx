import { Fragment, type ReactNode } from 'react';
import { findLink } from '../../../lib/links.js';
import { OutsideLink } from '../../../parts/linked-text.js';
import { getBegin } from '../../../parts/long-text.js';
import { readArray } from './values.js';

/** The limit of a cell in characters: the object itself has the rest. */
const CELL_MAX = 300;

/** A cell with text. URLs and e-mail addresses are links; the values of an array are joined. */
export function TextCell({ value }: { readonly value: string }): ReactNode {
  if (value.length > CELL_MAX) return `${getBegin(value, CELL_MAX)}…`;
  return splitLinks(value).map((text, i) => (
    <Fragment key={i}>
      {i > 0 && ', '}
      <Linked text={text} />
    </Fragment>
  ));
}

/** A URL may have commas: a text is several values only when each of them is a link. */
function splitLinks(value: string): readonly string[] {
  const items = value.startsWith('[') ? readArray(value) : undefined;
  if (items !== undefined) return items;
  const parts = value.split(',');
  return parts.length > 1 && parts.every((part) => findLink(part) !== undefined) ? parts : [value];
}

function Linked({ text }: { readonly text: string }): ReactNode {
  const href = findLink(text);
  return href === undefined ? text : <OutsideLink href={href}>{text}</OutsideLink>;
}
