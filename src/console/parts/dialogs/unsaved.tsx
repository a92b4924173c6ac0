import type { ReactNode } from 'react';
import { t } from '../../texts.js';

interface UnsavedProps {
  /** The id for the description of the dot's link. */
  readonly id: string;
}

/** A dot in a link to unsaved input. Screen readers read it after the name of the link, which does not change. */
export function Unsaved({ id }: UnsavedProps): ReactNode {
  return (
    <>
      <span className="unsaved" aria-hidden="true" title={t`Unsaved changes`} />
      <span id={id} hidden>
        {t`Unsaved changes`}
      </span>
    </>
  );
}
