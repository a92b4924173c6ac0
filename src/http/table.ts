import type { IncomingMessage } from 'node:http';
import { badRequest } from '../errors.js';
import { formatAge } from '../lib/age.js';
import { parseJsonPath, textOf, valuesAt } from '../lib/json-path.js';
import { ownColumns } from '../model/columns.js';
import type { ExtensionObject, Json } from '../model/object.js';
import type { Column, Resource } from '../model/resource.js';
import type { ServiceContext } from '../service/context.js';
import type { RawList } from '../service/list.js';
import type { BookmarkObject } from '../service/verbs.js';
import { parseObject } from '../store/transaction.js';
import { versionAccepted, type Shape } from './kube-accept.js';
import type { ListShape } from './list-response.js';
import { single, type Query } from './parameters.js';

const TABLE: Shape = { kind: 'Table', group: 'meta.k8s.io', versions: ['v1', 'v1beta1'] };

/** What of an object goes along with its row. */
const INCLUDED = ['Metadata', 'None', 'Object'] as const;

/** How a client wants its table. */
interface TableRequest {
  /** Of the shape. */
  readonly version: string;
  readonly include: (typeof INCLUDED)[number];
}

/**
 * The rows that a client wants rather than objects, as `kubectl get` does; undefined when it wants objects.
 * @param clock what ages are told by
 * @throws ServiceError `BadRequest` for an `includeObject` that is not known
 */
export function tableFor(
  { headers }: IncomingMessage,
  query: Query,
  resource: Resource,
  clock: Pick<ServiceContext, 'now'>,
): TableShape | undefined {
  const version = versionAccepted(headers.accept, TABLE);
  if (version === undefined) return undefined;
  const text = single(query, 'includeObject') ?? '';
  const include = text === '' ? 'Metadata' : INCLUDED.find((one) => one === text);
  if (include !== undefined) return new TableShape(resource, { version, include }, clock);
  throw badRequest(`includeObject "${text.slice(0, 100)}" is not one of ${INCLUDED.join(', ')}`);
}

/** A column in the words of Kubernetes' `TableColumnDefinition`, and how a cell comes out of an object. */
interface TableColumn {
  readonly definition: {
    readonly name: string;
    readonly type: string;
    readonly format: string;
    readonly description: string;
    /** Columns with more than 0 are only printed when a wide table is asked for. */
    readonly priority: number;
  };
  readonly cell: (object: ExtensionObject, nowMs: number) => Json;
}

const CLOSE = Buffer.from('}');
const END = Buffer.from(']}');

/**
 * Objects of a model as rows of a `Table` (meta.k8s.io), which clients print as it is: ages are texts that were
 * right when the row was made.
 */
export class TableShape implements ListShape {
  readonly member = 'rows';
  private readonly columns: readonly TableColumn[];

  constructor(
    resource: Resource,
    private readonly request: TableRequest,
    private readonly clock: Pick<ServiceContext, 'now'>,
  ) {
    this.columns = [NAME, ...ownColumns(resource).map(declaredColumn), AGE];
  }

  head({ metadata }: Pick<RawList, 'metadata'>): object {
    return this.headOf(metadata, true);
  }

  /** The row of a stored object. */
  item(bytes: Buffer): Buffer {
    return this.rowOf(parseObject(bytes), bytes);
  }

  /**
   * A table of one object.
   * @param hasColumns whether it says what the columns are; in a watch, the first one does
   */
  one(bytes: Buffer, hasColumns = true): Buffer {
    const object = parseObject(bytes);
    return this.tableOf(object.metadata, this.rowOf(object, bytes), hasColumns);
  }

  /** What a watch tells instead of an object; its cells are empty. */
  bookmark(object: BookmarkObject, hasColumns = true): Buffer {
    const cells = JSON.stringify(this.columns.map(() => null));
    const row = this.row(cells, object.metadata, Buffer.from(JSON.stringify(object)));
    return this.tableOf(object.metadata, row, hasColumns);
  }

  private rowOf(object: ExtensionObject, bytes: Buffer): Buffer {
    const nowMs = this.clock.now().getTime();
    const cells = JSON.stringify(this.columns.map(({ cell }) => cell(object, nowMs)));
    return this.row(cells, object.metadata, bytes);
  }

  private row(cells: string, metadata: object, object: Buffer): Buffer {
    const { include } = this.request;
    if (include === 'None') return Buffer.from(`{"cells":${cells}}`);
    if (include === 'Object')
      return Buffer.concat([Buffer.from(`{"cells":${cells},"object":`), object, CLOSE]);
    const partial = { kind: 'PartialObjectMetadata', apiVersion: this.apiVersion, metadata };
    return Buffer.from(`{"cells":${cells},"object":${JSON.stringify(partial)}}`);
  }

  private tableOf(
    { resourceVersion }: { readonly resourceVersion: string },
    row: Buffer,
    hasColumns: boolean,
  ): Buffer {
    const head = JSON.stringify(this.headOf({ resourceVersion }, hasColumns)).slice(0, -1);
    return Buffer.concat([Buffer.from(`${head},"rows":[`), row, END]);
  }

  private headOf(metadata: object, hasColumns: boolean): object {
    const columnDefinitions = hasColumns ? this.columns.map(({ definition }) => definition) : [];
    return { kind: TABLE.kind, apiVersion: this.apiVersion, metadata, columnDefinitions };
  }

  private get apiVersion(): string {
    return `${TABLE.group}/${this.request.version}`;
  }
}

const NAME: TableColumn = {
  definition: {
    name: 'Name',
    type: 'string',
    format: 'name',
    description: 'Name of the object, unique within its model.',
    priority: 0,
  },
  cell: ({ metadata }) => metadata.name,
};

const AGE: TableColumn = {
  definition: {
    name: 'Age',
    type: 'date',
    format: '',
    description: 'Time since the object was created.',
    priority: 0,
  },
  cell: ({ metadata }, nowMs) => formatAge(metadata.creationTimestamp, nowMs),
};

function declaredColumn({ name, jsonPath, type, priority = 0, description }: Column): TableColumn {
  const path = parseJsonPath(jsonPath);
  return {
    definition: { name, type, format: '', description: description ?? `The value at ${jsonPath}.`, priority },
    cell: (object, nowMs) => cellOf(type, path === undefined ? [] : valuesAt(object, path), nowMs),
  };
}

/** A number or a flag as itself where the column is of that type, anything else as text; null where there is none. */
function cellOf(type: Column['type'], values: readonly unknown[], nowMs: number): Json {
  const [first, ...more] = values;
  if (first === undefined) return null;
  if (more.length === 0) {
    if (typeof first === 'boolean' && type === 'boolean') return first;
    if (typeof first === 'number' && (type === 'integer' || type === 'number')) return first;
  }
  return values.map((value) => (type === 'date' ? formatAge(textOf(value), nowMs) : textOf(value))).join(',');
}
