import { useMemo, type ReactNode } from 'react';
import { isMissing } from '../../api/errors.js';
import { qualifiedPlural, storedModels, useModels } from '../../api/models.js';
import { DEFINITIONS, useDefinition, useDefinitions } from '../../api/platform/definitions.js';
import { useMay } from '../../api/platform/rights.js';
import { objectAt, textAt, type JsonObject } from '../../lib/json.js';
import { useEvent } from '../../lib/use-event.js';
import { lazyPart } from '../../parts/lazy-part.js';
import { Pending } from '../../parts/notice.js';
import { t } from '../../texts.js';
import { Builder } from './builder.js';
import { NEW_MODEL } from './draft/model-draft.js';
import { readDefinition } from './draft/read-definition.js';
import { parsePlace } from './links.js';
import { ForeignModel } from './foreign-model.js';

const ExampleCards = lazyPart(() => import('./examples/example-cards.js'));

/** A new model, or the change of one. */
export default function BuilderPage(): ReactNode {
  const { name, example } = parsePlace(useEvent(window, 'hashchange', () => location.hash));
  return name === undefined ? <NewModel example={example} /> : <StoredModel key={name} name={name} />;
}

function NewModel({ example }: { readonly example: string | undefined }): ReactNode {
  const mayList = useMay('list', DEFINITIONS);
  const { data, error } = useDefinitions(mayList);
  if (mayList && data === undefined && error === null) return <Pending error={null} />;
  return (
    <>
      <h1 className="below">{t`New model`}</h1>
      {example !== undefined && <ExampleCards chosen={example} />}
      <Builder draftKey="new" name={undefined} start={NEW_MODEL} group={usualGroup(data ?? [])}>
        {example === undefined && data?.length === 0 && <ExampleCards chosen={undefined} />}
      </Builder>
    </>
  );
}

/** The group of most definitions. */
function usualGroup(definitions: readonly JsonObject[]): string | undefined {
  const groups = definitions.flatMap((one) => textAt(objectAt(one, 'spec'), 'group') ?? []);
  const count = (group: string): number => groups.filter((one) => one === group).length;
  return [...new Set(groups)].sort((a, b) => count(b) - count(a))[0];
}

function StoredModel({ name }: { readonly name: string }): ReactNode {
  const { data, error, refetch } = useDefinition(name);
  const models = storedModels(useModels().data ?? []);
  const start = useMemo(() => (data === undefined ? undefined : readDefinition(data)), [data]);
  const foreign = models.find((model) => qualifiedPlural(model) === name);
  if (isMissing(error) && foreign !== undefined) return <ForeignModel model={foreign} />;
  if (start === undefined)
    return (
      <>
        <h1>{name}</h1>
        <Pending error={error} onRetry={() => void refetch()} />
      </>
    );
  return (
    <>
      <h1 className="below">{t`Edit ${start.title}`}</h1>
      <Builder draftKey={name} name={name} start={start} group={undefined} />
    </>
  );
}
