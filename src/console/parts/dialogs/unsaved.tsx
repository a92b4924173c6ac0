import type { ReactNode } from 'react';
import { text } from '../../texts.js';

interface UnsavedProps {
  /** The id for the description of the dot's link. */
  readonly id: string;
}

/** A dot in a link to unsaved input. Screen readers read it after the name of the link, which does not change. */
export function Unsaved({ id }: UnsavedProps): ReactNode {
  return (
    <>
      <span className="unsaved" aria-hidden="true" title={text.editor.unsaved} />
      <span id={id} hidden>
        {text.editor.unsaved}
      </span>
    </>
  );
}
