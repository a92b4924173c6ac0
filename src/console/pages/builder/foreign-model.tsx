import { useMemo, useState, type ReactNode } from 'react';
import type { Model } from '../../api/models.js';
import { PLUGINS, usePlugins } from '../../api/platform/plugins.js';
import { Notice } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { getList, getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import { BuilderContext } from './builder-context.js';
import { definitionOf } from './draft/foreign-definition.js';
import { namesOf } from './draft/names.js';
import { readDefinition } from './draft/read-definition.js';
import { FieldList } from './fields/field-list.js';
import { Preview } from './preview.js';

/** A model that code declares: the builder shows it, and cannot change it. */
export function ForeignModel({ model }: { readonly model: Model }): ReactNode {
  const [opened, open] = useState<string>();
  const draft = useMemo(() => readDefinition(definitionOf(model)), [model]);
  const names = useMemo(() => namesOf(draft, undefined), [draft]);
  const plugin = usePlugins().data?.items.find(({ models }) =>
    models.some(({ group, plural }) => group === model.group && plural === model.plural),
  );
  const state = useMemo(() => ({ problems: [], yamlHref: undefined, opened, open }), [opened]);
  return (
    <BuilderContext value={state}>
      <h1>{draft.title}</h1>
      <Notice tone="plain">
        {plugin === undefined ? (
          <p>{t`This model belongs to the service. It cannot be changed here.`}</p>
        ) : (
          <p>
            {t`Made by plugin ${plugin.name}. Its code changes the model.`}{' '}
            <a href={getObject(PLUGINS, plugin.name)}>{t`Open the plugin`}</a>
          </p>
        )}
        <p>
          <a href={getList(model)}>{t`Open the list`}</a>
        </p>
      </Notice>
      <div className="builder">
        <div className="stack">
          <Section title={t`Fields`}>
            {draft.fields.length === 0 && (
              <p className="faint">{t`It has no fields that the builder can draw.`}</p>
            )}
            <FieldList
              fields={draft.fields}
              own={names}
              depth={0}
              hasLists
              isReadOnly
              onChange={() => undefined}
            />
          </Section>
        </div>
        <div className="builder-side">
          {draft.fields.length > 0 && <Preview draft={draft} names={names} />}
        </div>
      </div>
    </BuilderContext>
  );
}
