import { useMemo, useState, type ReactNode } from 'react';
import { columnTitle, localizeSchema } from '../../api/localize.js';
import type { Model } from '../../api/models.js';
import { language } from '../../language.js';
import { ObjectForm } from '../../form/object-form.js';
import { objectAt, textAt, type JsonObject } from '../../lib/json.js';
import { useStore } from '../../lib/store.js';
import { useSettled } from '../../lib/use-settled.js';
import { Icon } from '../../parts/icon.js';
import { Section } from '../../parts/section.js';
import { t } from '../../texts.js';
import { columnsOf, pathIn, rootSchema, specSchema } from './draft/definition-parts.js';
import { traitsOf } from './draft/field-types.js';
import type { ModelDraft, ModelNames } from './draft/model-draft.js';
import { pathOf } from './draft/names.js';
import { placedFields } from './draft/placed-fields.js';
import { writeDefinition } from './draft/write-definition.js';

interface PreviewProps {
  readonly draft: ModelDraft;
  readonly names: ModelNames;
}

const METADATA = { type: 'object', properties: { name: { type: 'string' } } };

/** The model as people will use it: the header of its list, and the form of an object. */
export function Preview({ draft, names }: PreviewProps): ReactNode {
  const text = useMemo(() => JSON.stringify(writeDefinition(draft, names)), [draft, names]);
  // A form for each key would be slow.
  const settled = useSettled(text);
  const definition = useMemo(() => JSON.parse(settled) as JsonObject, [settled]);
  const spoken = useStore(language);
  const model = useMemo(
    () => modelOf(definition, names.singular, spoken),
    [definition, names.singular, spoken],
  );
  const [typed, setTyped] = useState('{}');
  const isEmpty = Object.keys(specSchema(definition)).length === 0;
  return (
    <Section title={t`Preview`}>
      <div className="stack">
        <Columns draft={draft} definition={definition} />
        {isEmpty ? (
          <p className="faint">{t`Add a field to see the form.`}</p>
        ) : (
          <ObjectForm model={model} value={typed} isNew yamlHref="#/builder" onChange={setTyped} />
        )}
      </div>
    </Section>
  );
}

interface ColumnsProps {
  readonly draft: ModelDraft;
  readonly definition: JsonObject;
}

function Columns({ draft, definition }: ColumnsProps): ReactNode {
  const placed = placedFields(draft.fields);
  const spoken = useStore(language);
  return (
    <div
      className="builder-columns well label"
      role="region"
      aria-label={t`Columns of the list`}
      tabIndex={0}
    >
      <span>{t`Name`}</span>
      {columnsOf(definition).map((column) => {
        const found = placed.find(({ way }) => pathOf(way) === pathIn(column));
        return (
          <span key={pathIn(column)}>
            <Icon name={found === undefined ? 'text' : traitsOf(found.field.type).icon} />{' '}
            {columnTitle(rootSchema(definition), textAt(column, 'jsonPath') ?? '', spoken) ??
              textAt(column, 'name')}
          </span>
        );
      })}
      <span>{t`Age`}</span>
    </div>
  );
}

/** The model of a definition that is not stored, for its form. */
function modelOf(
  definition: JsonObject,
  singular: string,
  spoken: string,
): Pick<Model, 'schema' | 'singular'> {
  const root = rootSchema(definition);
  const properties = { ...objectAt(root, 'properties'), metadata: METADATA };
  return { singular, schema: localizeSchema({ ...root, properties }, spoken) };
}
