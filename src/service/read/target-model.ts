import { badRequest, formatExcerpt, type ServiceError } from '../../errors.js';
import { modelKey } from '../../model/resource.js';
import type { TargetModel } from '../../query/filter/references.js';
import type { Table } from '../../store/table.js';
import type { ModelView } from './view.js';

export type Tables = ReadonlyMap<string, Table>;

/** A model in the version of a list. */
export type ListedModel = Pick<ModelView, 'table' | 'resource'>;

/** The model of a list, for filters. */
export function targetModel({ table, resource }: ListedModel, tables: Tables): TargetModel {
  return {
    resource,
    target: (field) => {
      const target = targetTable({ table, resource }, field, tables);
      return targetModel({ table: target, resource: target.resource }, tables);
    },
  };
}

/** @throws ServiceError `BadRequest` for a field that is not a reference, or refers to an unknown model */
export function targetTable({ table, resource }: ListedModel, field: string, tables: Tables): Table {
  const position = resource.indexes.findIndex(({ name }) => name === field);
  const stored = table.indexes[position]?.name;
  const reference = table.references.find((one) => one.field === stored);
  if (reference === undefined) throw notReference({ table, resource }, field);
  const target = tables.get(modelKey(reference));
  if (target !== undefined) return target;
  throw badRequest(
    `${field} refers to ${reference.kind} of "${reference.group}", which the store does not have`,
  );
}

function notReference({ table, resource }: ListedModel, field: string): ServiceError {
  const known = table.references.flatMap((reference) => {
    const position = table.indexes.findIndex(({ name }) => name === reference.field);
    return resource.indexes[position]?.name ?? [];
  });
  const choice =
    known.length === 0 ? `${resource.kind} has no references` : `references: ${known.join(', ')}`;
  return badRequest(`"${formatExcerpt(field)}" is not a reference; ${choice}`);
}
