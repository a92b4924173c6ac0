import { getApiVersion, type Resource } from '../../model/resource.js';
import { declareModels } from './declared.js';
import { getDeclaration, memberKey } from './typescript-type.js';

/**
 * TypeScript declarations of models: their types, `Page<T>`, and `ModelMap` from `<group>/<version>/<Kind>` to the type. The same
 * models give the same text.
 */
export function emitTypes(models: readonly Resource[]): string {
  const { schemas, objects } = declareModels(models);
  const [metadata = '', ...declarations] = schemas.map(({ name, schema, refType }) =>
    getDeclaration(name, schema, (ref) => refType(ref) ?? 'unknown'),
  );
  const entries = objects.map(({ resource, object }) => {
    return `  ${memberKey(`${getApiVersion(resource)}/${resource.kind}`)}: ${object};`;
  });
  return [
    '/* Types of the models of a service, written by `xsvc types`. */',
    metadata,
    PAGE,
    ...declarations,
    `/** Every model by \`<group>/<version>/<Kind>\`. */\nexport interface ModelMap {\n${entries.join('\n')}\n}`,
  ]
    .join('\n\n')
    .concat('\n');
}

const PAGE = `/** A page of objects of one model. */
export interface Page<T> {
  apiVersion: string;
  kind: string;
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  page: number;
  size: number;
  total: number;
  first: boolean;
  last: boolean;
  hasNext: boolean;
  hasPrevious: boolean;
  totalPages: number;
  facets?: Record<string, { value: string | number | boolean; count: number }[]>;
  groups?: ({ key: Record<string, string | number | boolean | null>; count: number } & Record<string, unknown>)[];
  groupsTotal?: number;
  items: T[];
  included?: Record<string, Record<string, unknown>>;
}`;
