import type { ReactNode } from 'react';
import type { ModelRef } from '../api/models.js';
import { findLink } from '../lib/links.js';
import { getObject } from '../routes/route.js';
import { t } from '../texts.js';
import { LongText } from './long-text.js';

interface LinkedTextProps {
  readonly value: string;
  /** The model whose object the text names. */
  readonly target?: ModelRef | undefined;
}

/** A text of an object: a link when it names another object, is a URL, or is an e-mail address. */
export function LinkedText({ value, target }: LinkedTextProps): ReactNode {
  if (target !== undefined) return <a href={getObject(target, value)}>{value}</a>;
  const href = findLink(value);
  return href === undefined ? <LongText value={value} /> : <OutsideLink href={href}>{value}</OutsideLink>;
}

interface OutsideLinkProps {
  readonly href: string;
  /** The name for screen readers, when it differs from the text. */
  readonly label?: string;
  readonly children: string;
}

const NEW_TAB = { target: '_blank', rel: 'noopener noreferrer' };

/** A link out of the console. Pages open in a new tab, which cannot reach this one. */
export function OutsideLink({ href, label, children }: OutsideLinkProps): ReactNode {
  const newTab = !href.startsWith('mailto:') && { ...NEW_TAB, title: t`Opens a new tab` };
  return (
    <a className="outside" href={href} aria-label={label} {...newTab}>
      {children}
    </a>
  );
}
