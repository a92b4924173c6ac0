import type { ReactNode } from 'react';
import { CONTROLLERS_URL } from '../../../api/platform/controllers.js';
import { qualifiedPlural } from '../../../api/models.js';
import { useItems } from '../../../api/use-items.js';
import { formatDistance } from '../../../lib/format.js';
import { textAt } from '../../../lib/json.js';
import { useNow } from '../../../lib/use-now.js';
import { Badge } from '../../../parts/badge.js';
import { Problem } from '../../../parts/long-text.js';
import { Section } from '../../../parts/section.js';
import { t } from '../../../texts.js';
import { useRecord } from '../record.js';

const AGAIN_MS = 2_000;

/** The pending work of controllers for an object; nothing without any. */
export function ObjectControllers(): ReactNode {
  const states = useControllerStates();
  if (states.length === 0) return null;
  return (
    <Section title={t`Controllers`}>
      <ControllerStates states={states} />
    </Section>
  );
}

/** The reports of the model's controllers on the object. */
export function useControllerStates(): readonly unknown[] {
  const { modelRef, name } = useRecord();
  const search = new URLSearchParams({ resource: qualifiedPlural(modelRef), name });
  return useItems('controllers', `${CONTROLLERS_URL}?${search.toString()}`, AGAIN_MS).data ?? [];
}

export function ControllerStates({ states }: { readonly states: readonly unknown[] }): ReactNode {
  const now = useNow();
  return (
    <ul className="lines">
      {states.map((one, i) => (
        <li key={i}>
          {textAt(one, 'controller')} <Badge word={textAt(one, 'state') ?? ''} />
          {textAt(one, 'nextAttempt') !== undefined && (
            <p className="faint">
              {t`next attempt ${formatDistance(textAt(one, 'nextAttempt') ?? '', now)}`}
            </p>
          )}
          <Problem message={textAt(one, 'error')} />
        </li>
      ))}
    </ul>
  );
}
