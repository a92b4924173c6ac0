import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Change } from '../../api/changes.js';
import { isOfEvents } from '../../api/events.js';
import { objectPath, useModel } from '../../api/models.js';
import { formatVerb, useStory } from '../../api/story.js';
import { titlesQuery } from '../../api/titles.js';
import { Age } from '../../parts/age.js';
import { ModelName } from '../../parts/models/model-name.js';
import { Section } from '../../parts/section.js';
import { getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import type { RecentChanges } from './change-feed.js';

const SHOWN = 12;
const VERBS = { ADDED: 'create', MODIFIED: 'update', DELETED: 'delete' } as const;

/** The latest changes of all models, and their users. */
export function Recent({ recent: { changes, isWhole } }: { readonly recent: RecentChanges }): ReactNode {
  const shown = getLatestChanges(changes);
  return (
    <Section title={t`Recent changes`}>
      {shown.length === 0 && <p className="faint">{isWhole ? t`No changes yet.` : t`Loading…`}</p>}
      <ul className="lines">
        {shown.map((change) => (
          <RecentChange key={`${change.revision} ${change.name}`} change={change} />
        ))}
      </ul>
    </Section>
  );
}

/** The last change of each object, the latest first: frequent changes of one would displace others. */
function getLatestChanges(changes: readonly Change[]): readonly Change[] {
  const latest = new Map<string, Change>();
  for (let i = changes.length - 1; i >= 0 && latest.size < SHOWN; i--) {
    const change = changes[i];
    // Events have a separate part of the page.
    if (change === undefined || isOfEvents(change.model)) continue;
    const path = objectPath(change.model, change.name);
    if (!latest.has(path)) latest.set(path, change);
  }
  return [...latest.values()];
}

/** True for plugins, controllers and other parts of the service. */
function isOfProgram(user = ''): boolean {
  return user.startsWith('system:') && user !== 'system:anonymous';
}

function RecentChange({ change }: { readonly change: Change }): ReactNode {
  const { model, name, type } = change;
  const story = useStory(change);
  const { data: titles } = useQuery(titlesQuery(useModel(model), [name]));
  if (isOfProgram(story?.user)) return null;
  const verb = VERBS[type];
  return (
    <li className="line spread">
      <div>
        <a href={getObject(model, name, type === 'DELETED' ? 'history' : 'form')} title={name}>
          {titles?.get(name) ?? name}
        </a>
        <p className="faint">
          {formatVerb(story?.verb ?? verb)}
          {story?.user !== undefined && ` ${t`by ${story.user}`}`}
          {' · '}
          <ModelName modelRef={model} />
        </p>
      </div>
      {story?.time !== undefined && <Age time={story.time} />}
    </li>
  );
}
