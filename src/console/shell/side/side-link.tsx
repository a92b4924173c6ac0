import { useEffect, useId, useRef, type ReactNode } from 'react';
import type { Model } from '../../api/models.js';
import { useIsUnsaved } from '../../editor/drafts.js';
import { getModelHints } from '../../lib/hints.js';
import { getModelTitle } from '../../lib/naming.js';
import { Badge } from '../../parts/badge.js';
import { Icon } from '../../parts/icon.js';
import { ObjectCount } from '../../parts/object-count.js';
import { Unsaved } from '../../parts/dialogs/unsaved.js';
import { getList } from '../../routes/route.js';

/** Less often than on pages about the models. */
const COUNT_EVERY_MS = 15_000;

interface SideModelLinkProps {
  readonly model: Model;
  readonly isCurrent: boolean;
  readonly isStopped: boolean;
  readonly hasCount: boolean;
}

/** A link to the list of a model, with the number of objects. */
export function SideModelLink({ model, isCurrent, isStopped, hasCount }: SideModelLinkProps): ReactNode {
  const id = useId();
  const isUnsaved = useIsUnsaved(model);
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isCurrent) link.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  return (
    <a
      ref={link}
      className="side-link"
      href={getList(model)}
      title={`${model.plural}.${model.group}`}
      aria-current={isCurrent ? 'true' : undefined}
      aria-describedby={isUnsaved ? id : undefined}
    >
      <Icon name={getModelHints(model.schema).icon ?? 'box'} />
      <span className="side-name">{getModelTitle(model)}</span>
      {isUnsaved && <Unsaved id={id} />}{' '}
      {isStopped ? (
        <Badge word="stopped" />
      ) : (
        hasCount && (
          <span className="side-count">
            <ObjectCount model={model} everyMs={COUNT_EVERY_MS} />
          </span>
        )
      )}
    </a>
  );
}
