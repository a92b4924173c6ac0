import type { ReactNode } from 'react';
import { Icon } from './icon.js';

interface EmptyStateProps {
  readonly icon: string;
  /** One sentence. */
  readonly text: string;
  /** The offers: a primary action, a secondary one, and a command. */
  readonly children?: ReactNode;
}

/** The place of content that does not exist yet. */
export function EmptyState({ icon, text, children }: EmptyStateProps): ReactNode {
  return (
    <div className="empty-state stack">
      <div className="empty-state-picture">
        <Icon name={icon} />
      </div>
      <p>{text}</p>
      {children !== undefined && <div className="empty-state-actions actions">{children}</div>}
    </div>
  );
}
