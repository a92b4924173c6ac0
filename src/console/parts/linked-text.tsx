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
  readonly children: string;
}

/** A link out of the console. Pages open in a new tab, which cannot reach this one. */
export function OutsideLink({ href, children }: OutsideLinkProps): ReactNode {
  if (href.startsWith('mailto:'))
    return (
      <a className="outside" href={href}>
        {children}
      </a>
    );
  return (
    <a className="outside" href={href} target="_blank" rel="noopener noreferrer" title={t`Opens a new tab`}>
      {children}
    </a>
  );
}
