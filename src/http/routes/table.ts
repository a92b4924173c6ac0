import type { IncomingMessage } from 'node:http';
import { formatAge } from '../../lib/time/age.js';
import { cellReader, modelColumns, tableColumns } from '../../model/declare/columns.js';
import type { ExtensionObject, Json } from '../../model/object.js';
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
  readonly version: string;
  readonly include: (typeof INCLUDED)[number];
  readonly dateCells: (typeof DATE_CELLS)[number];
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
  resource: Resource,
  clock: Clock,
): TableShape | undefined {
  const version = tableVersion(headers.accept);
  if (version === undefined) return undefined;
  const include = oneOf(query, 'includeObject', INCLUDED) ?? 'Metadata';
  const dateCells = oneOf(query, 'dateCells', DATE_CELLS) ?? 'Age';
  // Programs find the columns of all models at the same places.
  const columns = dateCells === 'Time' ? modelColumns(resource) : tableColumns(resource);
  return new TableShape({ version, include, dateCells, columns }, clock);
}

type Clock = Pick<Service, 'now'>;

/**
 * Objects of a model as rows of a `Table` (meta.k8s.io), which clients print unchanged: ages are texts that were
 * correct when the row was created.
 */
export class TableShape {
  readonly #cells: readonly ReturnType<typeof cellReader>[];

  constructor(
    readonly form: TableForm,
    private readonly clock: Clock,
  ) {
    this.#cells = form.columns.map(cellReader);
  }

  /** The present time for ages. */
  get nowMs(): number {
    return this.clock.now().getTime();
  }

  /** The members of a table except its rows. */
  head(metadata: object, hasColumns = true): object {
    const columnDefinitions = hasColumns ? this.form.columns.map(definitionOf) : [];
    return { kind: TABLE.kind, apiVersion: this.#apiVersion, metadata, columnDefinitions };
  }

  row(object: ExtensionObject): object {
    const { nowMs } = this;
    const formatTime = (time: string): string =>
      this.form.dateCells === 'Time' ? time : formatAge(time, nowMs);
    const cells = this.#cells.map((read) => read(object, formatTime));
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
    const cells = this.#cells.map(() => null);
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

/** A column in the form of Kubernetes' `TableColumnDefinition`. */
function definitionOf({ name, jsonPath, type, priority = 0, description }: Column): object {
  const format = jsonPath === '.metadata.name' ? 'name' : '';
  return { name, type, format, description: description ?? `The value at ${jsonPath}.`, priority };
}
