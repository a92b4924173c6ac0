import { useState, type ReactNode } from 'react';

/** The limit of a text that is not collapsed. */
const MAX = 400;

interface LongTextProps {
  readonly value: string;
  /** The language of the text, when it differs from the page's. */
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

/** The first characters of a text, without splitting one. */
export function getBegin(value: string, length: number): string {
  return value.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

/** A message of the service, a plugin or a controller. It is in English in every language of the page. */
export function Message({ children }: { readonly children: string }): ReactNode {
  return <LongText value={children} lang="en" />;
}

/** The message of an error; nothing without one. */
export function Problem({ message }: { readonly message: string | undefined }): ReactNode {
  if (message === undefined) return null;
  return (
    <div className="problem">
      <Message>{message}</Message>
    </div>
  );
}

interface FoldedProps {
  readonly summary: string;
  readonly children: ReactNode;
}

/** Content that is rendered when it is opened: a large object would need tens of thousands of elements. */
export function Folded({ summary, children }: FoldedProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children}
    </details>
  );
}
