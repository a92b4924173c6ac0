import { useId, type ReactNode } from 'react';
import type { ModelRef } from '../../../api/models.js';
import type { Metadata } from '../../../api/objects.js';
import { useIsUnsaved } from '../../../editor/drafts.js';
import { Badge } from '../../../parts/badge.js';
import { Unsaved } from '../../../parts/dialogs/unsaved.js';
import { getObject } from '../../../routes/route.js';
import { t } from '../../../texts.js';

interface NameCellProps {
  readonly modelRef: ModelRef;
  readonly metadata: Metadata;
  /** Undefined without one. */
  readonly title: string | undefined;
}

/** The title of an object, and a link that is named as the object. */
export function NameCell({ modelRef, metadata, title }: NameCellProps): ReactNode {
  const id = useId();
  const { name, deletionTimestamp } = metadata;
  const isUnsaved = useIsUnsaved(modelRef, name);
  return (
    <span className="name-cell" dir="auto">
      {title !== undefined && (
        <span className="name-cell-title" dir="auto">
          {title}
        </span>
      )}{' '}
      <a
        className={title === undefined ? 'name-cell-title' : 'mono name-cell-name'}
        href={getObject(modelRef, name)}
        tabIndex={-1}
        aria-describedby={isUnsaved ? id : undefined}
      >
        {name}
        {isUnsaved && <Unsaved id={id} />}
      </a>
      {deletionTimestamp !== undefined && <Badge word={t`being deleted`} tone="attention" />}
    </span>
  );
}
