import type { ReactNode } from 'react';

/** Longer texts begin closed. */
const MAX = 400;

interface LongTextProps {
  readonly value: string;
  /** Of the text, where it is not that of the page. */
  readonly lang?: 'en';
}

/** A text of any length, with its line breaks. */
export function LongText({ value, lang }: LongTextProps): ReactNode {
  if (value.length <= MAX)
    return (
      <span className="text" lang={lang}>
        {value}
      </span>
    );
  return (
    <details lang={lang}>
      <summary>{`${getBegin(value, MAX)}…`}</summary>
      <span className="text">{value}</span>
    </details>
  );
}

/** The first characters of a text, none of them cut in two. */
export function getBegin(value: string, length: number): string {
  return value.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

/** What the service, a plugin or a controller says in words of its own. They speak English, whatever the page speaks. */
export function Message({ children }: { readonly children: string }): ReactNode {
  return <LongText value={children} lang="en" />;
}
