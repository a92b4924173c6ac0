import type { Column, Index, Model } from '../../api/models.js';
import { findLabelKey } from '../../api/selectors.js';
import { arrayAt, isObject, objectAt, textAt, type JsonObject } from '../../lib/json.js';
import { humanize } from '../../lib/naming.js';
import { resolved, schemaAt } from '../../lib/schema.js';
import type { IconName } from '../../parts/icon.js';
import { t } from '../../texts.js';
import { getFieldPath } from './parameters.js';

/** The type of a field's values, as it is displayed. */
export type FieldKind = 'text' | 'number' | 'boolean' | 'enum' | 'date' | 'day' | 'reference' | 'label';

export const FIELD_ICONS: Readonly<Record<FieldKind, IconName>> = {
  text: 'text',
  number: 'number',
  boolean: 'toggle',
  enum: 'list',
  date: 'calendar',
  day: 'calendar',
  reference: 'link',
  label: 'tags',
};

/** The fields of metadata that every model has, with their titles. */
const OF_METADATA: ReadonlyMap<string, () => string> = new Map([
  ['metadata.name', () => t`Name`],
  ['metadata.creationTimestamp', () => t`Created`],
  ['metadata.updateTimestamp', () => t`Updated`],
  ['metadata.deletionTimestamp', () => t`Deletion`],
  ['metadata.expirationTimestamp', () => t`Expiration`],
  ['metadata.ownerReferences.uid', () => t`Owner UID`],
]);

/** The schema of a field's values; of an array, that of its items. */
export function getValueSchema(root: JsonObject, path: string): JsonObject {
  return path
    .split('.')
    .reduce((at, name) => itemOf(resolved(objectAt(objectAt(at, 'properties'), name), root), root), root);
}

function itemOf(schema: JsonObject, root: JsonObject): JsonObject {
  const { items } = schema;
  return isObject(items) ? resolved(items, root) : schema;
}

export function getKind(root: JsonObject, path: string): FieldKind {
  if (findLabelKey(path) !== undefined) return 'label';
  if (path.startsWith('metadata.') && path.endsWith('Timestamp')) return 'date';
  return getKindOfSchema(getValueSchema(root, path));
}

export function getKindOfSchema(schema: JsonObject): FieldKind {
  const { type, format } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const first = types.find((one) => one !== 'null');
  if (isObject(schema['x-xsvc-reference'])) return 'reference';
  if (first === 'boolean') return 'boolean';
  if (arrayAt(schema, 'enum').length > 0) return 'enum';
  if (first === 'integer' || first === 'number') return 'number';
  if (format === 'date-time') return 'date';
  return format === 'date' ? 'day' : 'text';
}

/** The name of a field for people: that of its column, its title, or its name as words. */
export function getFieldTitle(model: Pick<Model, 'columns' | 'schema'> | undefined, path: string): string {
  const key = findLabelKey(path);
  if (key !== undefined) return key;
  const known = OF_METADATA.get(path)?.();
  if (known !== undefined) return known;
  const column = model?.columns.find((one) => getFieldPath(one) === path);
  if (column !== undefined) return getColumnTitle(column);
  const schema = model === undefined ? {} : schemaAt(model.schema, path);
  return textAt(schema, 'title') ?? humanize(path.split('.').at(-1) ?? path);
}

/** The name of a field for people, with those of the lists that it is in: `Lines 2 › Price`. */
export function getPlaceTitle(model: Pick<Model, 'columns' | 'schema'> | undefined, field: string): string {
  const steps = field.split('.');
  return steps
    .flatMap((step, i) => {
      const [, name = step, items = ''] = /^([^[]+)(.*)$/.exec(step) ?? [];
      const path = [...steps.slice(0, i), name].join('.').replaceAll(/\[\d+\]/g, '');
      const isLast = i === steps.length - 1;
      if (!isLast && items === '') return [];
      const numbers = [...items.matchAll(/\[(\d+)\]/g)].map(([, at]) => ` ${Number(at) + 1}`);
      return [getFieldTitle(model, path) + numbers.join('')];
    })
    .join(' › ');
}

/** The name of a column. The service names columns that nobody declared after their fields. */
export function getColumnTitle(column: Pick<Column, 'name' | 'jsonPath' | 'title'>): string {
  const { name, title } = column;
  if (title !== undefined) return title;
  return getFieldPath(column).split('.').at(-1) === name ? humanize(name) : name;
}

/** The indexes that conditions can use; labels have a separate syntax. */
export function getIndexes(model: Model | undefined): readonly Index[] {
  return (model?.indexes ?? []).filter(
    ({ name, keyType }) => name !== 'metadata.labels' && keyType !== 'text',
  );
}

/** True when the objects of a model can be found by words. */
export function isSearchable(model: Model | undefined): boolean {
  return model?.indexes.some(({ keyType }) => keyType === 'text') === true;
}

/** The limits of fields that can be chosen: schemas that refer to one another have thousands. */
const DEPTH_MAX = 6;
const FIELDS_MAX = 1_000;
/** Members of every object that are no fields of its model. */
const SYSTEM = ['apiVersion', 'kind', 'metadata'];

/** The paths of the fields of a schema that a cell can display, those near the root first in each group. */
export function getScalarPaths(root: JsonObject): readonly string[] {
  const found: string[] = [];
  const visit = (schema: JsonObject, path: string, open: readonly unknown[]): void => {
    for (const [name, member] of Object.entries(objectAt(schema, 'properties'))) {
      if (found.length >= FIELDS_MAX || !isObject(member)) return;
      // Paths are dotted.
      if ((path === '' && SYSTEM.includes(name)) || name.includes('.')) continue;
      const own = itemOf(resolved(member, root), root);
      const at = path === '' ? name : `${path}.${name}`;
      if ('properties' in own) {
        const isList = Array.isArray(member.type) || member.type === 'array';
        if (open.length < DEPTH_MAX && !open.includes(own) && !isList) visit(own, at, [...open, own]);
      } else if (own.type !== 'object' && own.type !== 'array') found.push(at);
    }
  };
  visit(root, '', []);
  return found;
}
