import type { IncomingMessage } from 'node:http';
import { formatAge } from '../../lib/time/age.js';
import { parseJsonPath, formatText, valuesAt } from '../../lib/json/json-path.js';
import { ownColumns } from '../../model/declare/columns.js';
import type { ExtensionObject, Json } from '../../model/object.js';
import type { Column, Resource } from '../../model/resource.js';
import type { Service } from '../../service/service.js';
import type { BookmarkObject } from '../../service/verbs.js';
import { parseObject } from '../../store/object-record.js';
import { shapeNegotiation, type Shape } from '../kube/accept.js';
import { oneOf, type Query } from './parameters.js';

export const TABLE: Shape = { kind: 'Table', group: 'meta.k8s.io', versions: ['v1', 'v1beta1'] };
const tableVersion = shapeNegotiation(TABLE);

/** What of an object goes along with its row. */
const INCLUDED = ['Metadata', 'None', 'Object'] as const;

/** Content of a date's cell: its age, as clients print it, or the time. */
const DATE_CELLS = ['Age', 'Time'] as const;

/** A table as data: another thread can be told to make its rows. */
export interface TableForm {
  /** Of the shape. */
  readonly version: string;
  readonly include: (typeof INCLUDED)[number];
  readonly dateCells: (typeof DATE_CELLS)[number];
  /** What the model declares. */
  readonly columns: readonly Column[];
}

/**
 * The rows that a client wants rather than objects, as `kubectl get` does; undefined when it wants objects.
 * @param clock what ages are told by
 * @throws ServiceError `BadRequest` for an `includeObject` or `dateCells` that is not known
 */
export function tableFor(
  { headers }: IncomingMessage,
  query: Query,
  { columns }: Resource,
  clock: Clock,
): TableShape | undefined {
  const version = tableVersion(headers.accept);
  if (version === undefined) return undefined;
  const include = oneOf(query, 'includeObject', INCLUDED) ?? 'Metadata';
  const dateCells = oneOf(query, 'dateCells', DATE_CELLS) ?? 'Age';
  return new TableShape({ version, include, dateCells, columns }, clock);
}

type Clock = Pick<Service, 'now'>;

/** Text of a date's cell. @param time RFC 3339 */
type DateText = (time: string) => string;

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
  readonly cell: (object: ExtensionObject, dateText: DateText) => Json;
}

/**
 * Objects of a model as rows of a `Table` (meta.k8s.io), which clients print as it is: ages are texts that were
 * right when the row was made.
 */
export class TableShape {
  private readonly columns: readonly TableColumn[];

  constructor(
    readonly form: TableForm,
    private readonly clock: Clock,
  ) {
    this.columns = [NAME, ...ownColumns(form).map(declaredColumn), AGE];
  }

  /** What ages are told by now. */
  get nowMs(): number {
    return this.clock.now().getTime();
  }

  /** The members of a table but its rows. */
  head(metadata: object, hasColumns = true): object {
    const columnDefinitions = hasColumns ? this.columns.map(({ definition }) => definition) : [];
    return { kind: TABLE.kind, apiVersion: this.apiVersion, metadata, columnDefinitions };
  }

  row(object: ExtensionObject): object {
    const { nowMs } = this;
    const dateText: DateText =
      this.form.dateCells === 'Time' ? (time) => time : (time) => formatAge(time, nowMs);
    const cells = this.columns.map(({ cell }) => cell(object, dateText));
    return this.rowWith(cells, object);
  }

  /**
   * A table of one object.
   * @param hasColumns whether it says what the columns are; in a watch, the first one does
   */
  one(bytes: Buffer, hasColumns = true): Buffer {
    const object = parseObject(bytes);
    return this.getTable(object, this.row(object), hasColumns);
  }

  /** What a watch tells instead of an object; its cells are empty. */
  bookmark(object: BookmarkObject, hasColumns = true): Buffer {
    const cells = this.columns.map(() => null);
    return this.getTable(object, this.rowWith(cells, object), hasColumns);
  }

  private rowWith(cells: readonly Json[], object: ExtensionObject | BookmarkObject): object {
    const { include } = this.form;
    if (include === 'None') return { cells };
    if (include === 'Object') return { cells, object };
    const { metadata } = object;
    return { cells, object: { kind: 'PartialObjectMetadata', apiVersion: this.apiVersion, metadata } };
  }

  private getTable(
    { metadata: { resourceVersion } }: ExtensionObject | BookmarkObject,
    row: object,
    hasColumns: boolean,
  ): Buffer {
    return Buffer.from(JSON.stringify({ ...this.head({ resourceVersion }, hasColumns), rows: [row] }));
  }

  private get apiVersion(): string {
    return `${TABLE.group}/${this.form.version}`;
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
  cell: ({ metadata }, dateText) => dateText(metadata.creationTimestamp),
};

function declaredColumn({ name, jsonPath, type, priority = 0, description }: Column): TableColumn {
  const path = parseJsonPath(jsonPath);
  return {
    definition: { name, type, format: '', description: description ?? `The value at ${jsonPath}.`, priority },
    cell: (object, dateText) => getCell(type, path === undefined ? [] : valuesAt(object, path), dateText),
  };
}

/** A number or a flag as itself where the column is of that type, anything else as text; null where there is none. */
function getCell(type: Column['type'], values: readonly unknown[], dateText: DateText): Json {
  const [first, ...more] = values;
  if (first === undefined) return null;
  if (more.length === 0) {
    if (typeof first === 'boolean' && type === 'boolean') return first;
    if (typeof first === 'number' && (type === 'integer' || type === 'number')) return first;
  }
  return values.map((value) => (type === 'date' ? dateText(formatText(value)) : formatText(value))).join(',');
}
