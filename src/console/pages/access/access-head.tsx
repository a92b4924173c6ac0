import type { ReactNode } from 'react';
import { t } from '../../texts.js';
import { BOARD_URL } from './place.js';

interface AccessHeadProps {
  readonly title: string;
  /** A name for people; empty without one. */
  readonly note?: string;
  readonly children?: ReactNode;
}

/** The heading of a user or a role, and the way back. */
export function AccessHead({ title, note = '', children }: AccessHeadProps): ReactNode {
  return (
    <div className="access-head below">
      <a href={BOARD_URL}>{t`Access`}</a>
      <div className="row spread">
        <div className="row">
          <h1>{title}</h1>
          {note !== '' && <span className="faint">{note}</span>}
        </div>
        <div className="actions">{children}</div>
      </div>
    </div>
  );
}
