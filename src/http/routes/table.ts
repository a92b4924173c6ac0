import type { IncomingMessage } from 'node:http';
import { formatAge } from '../../lib/time/age.js';
import { parseJsonPath, formatText, valuesAt } from '../../lib/json/json-path.js';
import { hasUpdatedColumn, ownColumns } from '../../model/declare/columns.js';
import { getUpdateTime, type ExtensionObject, type Json } from '../../model/object.js';
import type { Column, Resource } from '../../model/resource.js';
import type { Service } from '../../service/service.js';
import type { BookmarkObject } from '../../service/verbs.js';
import { parseObject } from '../../store/object-record.js';
import { shapeNegotiation, type AcceptedShape } from '../kube/accept.js';
import { oneOf, type Query } from './parameters.js';

export const TABLE: AcceptedShape = { kind: 'Table', group: 'meta.k8s.io', versions: ['v1', 'v1beta1'] };
const tableVersion = shapeNegotiation(TABLE);

/** The part of an object that is sent with its row. */
const INCLUDED = ['Metadata', 'None', 'Object'] as const;

/** Content of a date's cell: its age, as clients print it, or the time. */
const DATE_CELLS = ['Age', 'Time'] as const;

/** A table as data, so that another thread can create its rows. */
export interface TableForm {
  /** The version of the form. */
  readonly version: string;
  readonly include: (typeof INCLUDED)[number];
  readonly dateCells: (typeof DATE_CELLS)[number];
  /** The columns that the model declares. */
  readonly columns: readonly Column[];
}

/**
 * The table that a client requests instead of objects, as `kubectl get` does; undefined when it wants objects.
 * @param clock source of the time for ages
 * @throws ServiceError `BadRequest` for an unknown `includeObject` or `dateCells`
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

/**
 * Formats a date's cell.
 * @param time RFC 3339
 */
type DateText = (time: string) => string;

/**
 * A column in the form of Kubernetes' `TableColumnDefinition`, and the function that reads its cell from an object.
 */
interface TableColumn {
  readonly definition: {
    readonly name: string;
    readonly type: string;
    readonly format: string;
    readonly description: string;
    /** Columns with a priority above 0 are printed only in a wide table. */
    readonly priority: number;
  };
  readonly cell: (object: ExtensionObject, dateText: DateText) => Json;
}

/**
 * Objects of a model as rows of a `Table` (meta.k8s.io), which clients print unchanged: ages are texts that were
 * correct when the row was created.
 */
export class TableShape {
  readonly #columns: readonly TableColumn[];

  constructor(
    readonly form: TableForm,
    private readonly clock: Clock,
  ) {
    this.#columns = [
      NAME,
      ...ownColumns(form).map(declaredColumn),
      AGE,
      ...(hasUpdatedColumn(form) ? [UPDATED] : []),
    ];
  }

  /** The present time for ages. */
  get nowMs(): number {
    return this.clock.now().getTime();
  }

  /** The members of a table except its rows. */
  head(metadata: object, hasColumns = true): object {
    const columnDefinitions = hasColumns ? this.#columns.map(({ definition }) => definition) : [];
    return { kind: TABLE.kind, apiVersion: this.#apiVersion, metadata, columnDefinitions };
  }

  row(object: ExtensionObject): object {
    const { nowMs } = this;
    const dateText: DateText =
      this.form.dateCells === 'Time' ? (time) => time : (time) => formatAge(time, nowMs);
    const cells = this.#columns.map(({ cell }) => cell(object, dateText));
    return this.#rowWith(cells, object);
  }

  /**
   * A table of one object.
   * @param hasColumns true when it defines the columns; in a watch, only the first one does
   */
  one(bytes: Buffer, hasColumns = true): Buffer {
    const object = parseObject(bytes);
    return this.#getTable(object, this.row(object), hasColumns);
  }

  /** A table for a watch's bookmark, with empty cells. */
  bookmark(object: BookmarkObject, hasColumns = true): Buffer {
    const cells = this.#columns.map(() => null);
    return this.#getTable(object, this.#rowWith(cells, object), hasColumns);
  }

  #rowWith(cells: readonly Json[], object: ExtensionObject | BookmarkObject): object {
    const { include } = this.form;
    if (include === 'None') return { cells };
    if (include === 'Object') return { cells, object };
    const { metadata } = object;
    return { cells, object: { kind: 'PartialObjectMetadata', apiVersion: this.#apiVersion, metadata } };
  }

  #getTable(
    { metadata: { resourceVersion } }: ExtensionObject | BookmarkObject,
    row: object,
    hasColumns: boolean,
  ): Buffer {
    return Buffer.from(JSON.stringify({ ...this.head({ resourceVersion }, hasColumns), rows: [row] }));
  }

  get #apiVersion(): string {
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

const UPDATED: TableColumn = {
  definition: {
    name: 'Updated',
    type: 'date',
    format: '',
    description: 'Time since the last stored change of the object.',
    priority: 1,
  },
  cell: ({ metadata }, dateText) => dateText(getUpdateTime(metadata)),
};

function declaredColumn({ name, jsonPath, type, priority = 0, description }: Column): TableColumn {
  const path = parseJsonPath(jsonPath);
  return {
    definition: { name, type, format: '', description: description ?? `The value at ${jsonPath}.`, priority },
    cell: (object, dateText) => getCell(type, path === undefined ? [] : valuesAt(object, path), dateText),
  };
}

/**
 * All values in a column of texts; the first one in any other, where a number or a boolean is unchanged in a column of that
 * type. Null without a value.
 */
function getCell(type: Column['type'], values: readonly unknown[], dateText: DateText): Json {
  const [first] = values;
  if (first === undefined) return null;
  if (type === 'string') return values.map(formatText).join(',');
  if (type === 'date') return dateText(formatText(first));
  if (typeof first === 'boolean' && type === 'boolean') return first;
  return typeof first === 'number' && type !== 'boolean' ? first : formatText(first);
}
