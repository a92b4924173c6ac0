import type { Cause } from '../../../errors.js';
import { checkSchema, type CheckDefault } from './check-schema.js';
import type { DefinitionVersion, PrinterColumn, ScalePaths } from '../definition.js';
import { fault, type FaultReason } from './fault.js';
import { isDns1035Label, LABEL_FORM } from './name-forms.js';
import { findField, parseNames } from './schema-path.js';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const SELECTABLE_TYPES = ['boolean', 'integer', 'string'];
const SELECTABLE_FIELDS_MAX = 8;
const WARNING_BYTES_MAX = 256;

export function checkVersion(
  version: DefinitionVersion,
  path: string,
  checkDefault: CheckDefault,
): readonly Cause[] {
  const { name = '', schema: { openAPIV3Schema: schema } = {}, subresources = {} } = version;
  const schemaPath = `${path}.schema.openAPIV3Schema`;
  return [
    ...(isDns1035Label(name) ? [] : [fault(`${path}.name`, 'Invalid', LABEL_FORM)]),
    ...checkWarning(version, `${path}.deprecationWarning`),
    ...(schema === undefined
      ? [fault(schemaPath, 'Required', 'must be set: fields that it does not declare are not stored')]
      : checkSchema(schema, schemaPath, { hasStatus: subresources.status !== undefined, checkDefault })),
    ...(subresources.scale === undefined ? [] : checkScale(subresources.scale, `${path}.subresources.scale`)),
    ...(version.additionalPrinterColumns ?? []).flatMap((column, i) =>
      checkColumn(column, `${path}.additionalPrinterColumns[${i}]`),
    ),
    ...checkSelectable(version, `${path}.selectableFields`),
  ];
}

function checkWarning({ deprecated, deprecationWarning: warning }: DefinitionVersion, path: string): Cause[] {
  if (warning === undefined) return [];
  if (deprecated !== true) return [fault(path, 'Invalid', 'may be set only for a deprecated version')];
  const isPrintable = warning !== '' && !/[\p{C}\p{Z}]/u.test(warning.replaceAll(' ', ''));
  const isShort = Buffer.byteLength(warning) <= WARNING_BYTES_MAX;
  if (isPrintable && isShort) return [];
  return [fault(path, 'Invalid', `must be a printable text of 1 to ${WARNING_BYTES_MAX} bytes`)];
}

const SCALE_PATHS = [
  { key: 'specReplicasPath', isRequired: true, below: ['.spec.'] },
  { key: 'statusReplicasPath', isRequired: true, below: ['.status.'] },
  { key: 'labelSelectorPath', isRequired: false, below: ['.spec.', '.status.'] },
] as const;

function checkScale(scale: ScalePaths, path: string): readonly Cause[] {
  return SCALE_PATHS.flatMap(({ key, isRequired, below }) => {
    const { [key]: text = '' } = scale;
    if (text === '') return isRequired ? [fault(`${path}.${key}`, 'Required', 'is required')] : [];
    if (below.some((start) => text.startsWith(start))) return [];
    return [fault(`${path}.${key}`, 'Invalid', `must start with ${below.join(' or ')}`)];
  });
}

function checkColumn(
  { name = '', type = '', format = '', jsonPath = '' }: PrinterColumn,
  path: string,
): Cause[] {
  const causes: Cause[] = [];
  const add = (key: string, reason: FaultReason, message: string): void => {
    causes.push(fault(`${path}.${key}`, reason, message));
  };
  if (name === '') add('name', 'Required', 'is required');
  if (type === '') add('type', 'Required', 'is required');
  else if (!COLUMN_TYPES.includes(type)) add('type', 'Invalid', `must be one of ${COLUMN_TYPES.join(', ')}`);
  if (format !== '' && !COLUMN_FORMATS.includes(format))
    add('format', 'Invalid', `must be one of ${COLUMN_FORMATS.join(', ')}`);
  if (jsonPath === '') add('jsonPath', 'Required', 'is required');
  else if (!/^\.\s*\S/.test(jsonPath))
    add('jsonPath', 'Invalid', 'must be a dot and a field, as in .spec.size');
  return causes;
}

function checkSelectable(
  { selectableFields = [], schema = {} }: DefinitionVersion,
  path: string,
): readonly Cause[] {
  const { openAPIV3Schema } = schema;
  if (selectableFields.length === 0) return [];
  if (openAPIV3Schema === undefined)
    return [fault(path, 'Invalid', 'may be set only together with a schema')];
  const known = new Set<string>();
  const causes = selectableFields.flatMap(({ jsonPath = '' }, i): readonly Cause[] => {
    const field = `${path}[${i}].jsonPath`;
    if (jsonPath === '') return [fault(field, 'Required', 'is required')];
    const names = jsonPath.includes('[') ? undefined : parseNames(jsonPath);
    const found = names === undefined ? undefined : findField(openAPIV3Schema, names);
    if (found === undefined || names?.[0] === 'metadata')
      return [fault(field, 'Invalid', 'must lead to a declared field, not in metadata or lists: .spec.size')];
    if (known.has(jsonPath)) return [fault(field, 'Duplicate', 'is given twice')];
    known.add(jsonPath);
    if (SELECTABLE_TYPES.includes(found.type ?? '')) return [];
    return [fault(field, 'Invalid', `must lead to a field of type ${SELECTABLE_TYPES.join(', ')}`)];
  });
  if (known.size <= SELECTABLE_FIELDS_MAX) return causes;
  return [...causes, fault(path, 'Invalid', `must have at most ${SELECTABLE_FIELDS_MAX} fields`)];
}
