import { useEffect, useId, useRef, type ReactNode } from 'react';
import type { Model } from '../../api/models.js';
import { useIsUnsaved } from '../../editor/drafts.js';
import { getModelHints } from '../../lib/hints.js';
import { getModelTitle } from '../../lib/naming.js';
import { Badge } from '../../parts/badge.js';
import { Icon } from '../../parts/icon.js';
import { ObjectCount } from '../../parts/object-count.js';
import { getList } from '../../routes/route.js';
import { t } from '../../texts.js';

interface SideLinkProps {
  readonly href: string;
  readonly icon: string;
  readonly name: string;
  /** The tooltip. */
  readonly title?: string;
  /** `page` for the page itself, `true` for one that contains it. */
  readonly current: 'page' | 'true' | undefined;
  /** Screen readers read it after the name of the link, which does not change. */
  readonly description?: string | undefined;
  /** Beside the name. */
  readonly children?: ReactNode;
}

export function SideLink(props: SideLinkProps): ReactNode {
  const { href, icon, name, title, current, description, children } = props;
  const id = useId();
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (current !== undefined) link.current?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <li>
      <a
        ref={link}
        className="line side-link"
        href={href}
        title={title}
        aria-current={current}
        aria-describedby={description === undefined ? undefined : id}
      >
        <Icon name={icon} />
        <span className="cut">{name}</span>
        {children}
        <span id={id} hidden>
          {description}
        </span>
      </a>
    </li>
  );
}

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
  const isUnsaved = useIsUnsaved(model);
  return (
    <SideLink
      href={getList(model)}
      icon={getModelHints(model.schema).icon ?? 'box'}
      name={getModelTitle(model)}
      title={`${model.plural}.${model.group}`}
      current={isCurrent ? 'true' : undefined}
      description={isUnsaved ? t`Unsaved changes` : undefined}
    >
      {isUnsaved && <span className="unsaved" aria-hidden="true" title={t`Unsaved changes`} />}{' '}
      {isStopped && <Badge word="stopped" />}
      {!isStopped && hasCount && (
        <span className="side-count">
          <ObjectCount model={model} everyMs={COUNT_EVERY_MS} />
        </span>
      )}
    </SideLink>
  );
}
