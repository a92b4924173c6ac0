import type { ReactNode } from 'react';
import { text } from '../../texts.js';

interface UnsavedProps {
  /** Of what describes the link that the dot is in. */
  readonly id: string;
}

/** A dot in a link to what was typed and not saved. Screen readers say it after the name of the link, which stays what it is. */
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
