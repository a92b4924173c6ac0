import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CONTROLLERS_URL } from '../../api/platform/controllers.js';
import { getJson } from '../../api/http.js';
import { qualifiedPlural, type ModelRef } from '../../api/models.js';
import { formatDistance } from '../../lib/format.js';
import { arrayAt, textAt } from '../../lib/json.js';
import { useNow } from '../../lib/use-now.js';
import { Badge } from '../../parts/badge.js';
import { Message } from '../../parts/long-text.js';
import { Section } from '../../parts/section.js';
import { text } from '../../texts.js';

const AGAIN_MS = 2_000;

/** The pending work of controllers for an object; nothing without any. */
export function ObjectControllers({ modelRef, name }: { modelRef: ModelRef; name: string }): ReactNode {
  const states = useControllerStates(modelRef, name);
  if (states.length === 0) return null;
  return (
    <Section title={text.object.controllers}>
      <ControllerStates states={states} />
    </Section>
  );
}

/** The reports of the model's controllers on the object. */
export function useControllerStates(modelRef: ModelRef, name: string): readonly unknown[] {
  const search = new URLSearchParams({ resource: qualifiedPlural(modelRef), name });
  const url = `${CONTROLLERS_URL}?${search.toString()}`;
  const { data = [] } = useQuery({
    queryKey: ['controllers', url],
    queryFn: async ({ signal }) => arrayAt(await getJson(url, signal), 'items'),
    refetchInterval: AGAIN_MS,
  });
  return data;
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
              {text.object.nextAttempt(formatDistance(textAt(one, 'nextAttempt') ?? '', now))}
            </p>
          )}
          {textAt(one, 'error') !== undefined && (
            <div className="problem">
              <Message>{textAt(one, 'error') ?? ''}</Message>
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
