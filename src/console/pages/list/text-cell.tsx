import { Fragment, type ReactNode } from 'react';
import type { ModelRef } from '../../api/models.js';
import { findLink } from '../../lib/links.js';
import { OutsideLink } from '../../parts/linked-text.js';
import { getBegin } from '../../parts/long-text.js';
import { getObject } from '../../routes/route.js';

/** The limit of a cell in characters: the page of the object has the rest. */
const CELL_MAX = 300;

interface TextCellProps {
  /** The service joins several values with commas, and writes an array as JSON. */
  readonly value: string;
  /** The model whose objects the values name. */
  readonly target: ModelRef | undefined;
}

/** A cell of a list. Names of other objects, URLs and e-mail addresses are links. */
export function TextCell({ value, target }: TextCellProps): ReactNode {
  if (value.length > CELL_MAX) return `${getBegin(value, CELL_MAX)}…`;
  // Names have no commas.
  if (target !== undefined)
    return (
      <Joined values={splitValues(value)} show={(name) => <a href={getObject(target, name)}>{name}</a>} />
    );
  return <Joined values={splitLinks(value)} show={(text) => <Linked text={text} />} />;
}

function splitValues(value: string): readonly string[] {
  return value.startsWith('[') ? (readTexts(value) ?? [value]) : value.split(',');
}

/** Undefined unless it is a JSON array of texts. */
function readTexts(text: string): readonly string[] | undefined {
  try {
    const values: unknown = JSON.parse(text);
    return Array.isArray(values) && values.every((one) => typeof one === 'string') ? values : undefined;
  } catch {
    return undefined;
  }
}

/** A URL may have commas: a text is several values only when each of them is a link. */
function splitLinks(value: string): readonly string[] {
  const parts = splitValues(value);
  return parts.length > 0 && parts.every((part) => findLink(part) !== undefined) ? parts : [value];
}

function Linked({ text }: { readonly text: string }): ReactNode {
  const href = findLink(text);
  return href === undefined ? text : <OutsideLink href={href}>{text}</OutsideLink>;
}

interface JoinedProps {
  readonly values: readonly string[];
  readonly show: (value: string) => ReactNode;
}

function Joined({ values, show }: JoinedProps): ReactNode {
  return values.map((value, i) => (
    <Fragment key={i}>
      {i > 0 && ', '}
      {show(value)}
    </Fragment>
  ));
}
