/** A parameter of the URL of reads that is no member of `ListOptions`: the form of the answer, and watches. */
export interface ReadParameter {
  readonly name: string;
  readonly type: 'text' | 'boolean' | 'integer';
  /** `list` and `watch`: only with those. `read`: also when one object is read. */
  readonly use: 'list' | 'watch' | 'read';
  /** The only values. */
  readonly values?: readonly string[];
  readonly default?: string;
  readonly min?: number;
  /** Markdown, for OpenAPI. */
  readonly description: string;
}

export const VERSION_MATCHES = ['Exact', 'NotOlderThan'] as const;
/** The part of an object that is sent with its row; the first is the default. */
export const ROW_OBJECTS = ['Metadata', 'None', 'Object'] as const;
/** Content of a date's cell: its age, as clients print it, or the time; the first is the default. */
export const DATE_CELLS = ['Age', 'Time'] as const;

/** The header that asks for rows instead of objects. */
const AS_TABLE = '`Accept: application/json;as=Table;v=v1;g=meta.k8s.io`';

/** OpenAPI and the check for unknown parameters read this table. */
export const READ_PARAMETERS = [
  {
    name: 'explain',
    type: 'boolean',
    use: 'list',
    description: 'Returns how the list would run instead of running it.',
  },
  {
    name: 'watch',
    type: 'boolean',
    use: 'read',
    description: 'Returns the changes as a stream of events, one JSON object per line.',
  },
  {
    name: 'resourceVersion',
    type: 'text',
    use: 'read',
    description: 'With watch: changes after this revision.',
  },
  {
    name: 'resourceVersionMatch',
    type: 'text',
    use: 'read',
    values: VERSION_MATCHES,
    description: '`Exact`: the state at revision `resourceVersion` instead of the current one.',
  },
  {
    name: 'timeoutSeconds',
    type: 'integer',
    use: 'watch',
    min: 0,
    description: 'With watch: maximum duration of the stream, in seconds.',
  },
  {
    name: 'allowWatchBookmarks',
    type: 'boolean',
    use: 'watch',
    description: 'With watch: send bookmarks.',
  },
  {
    name: 'sendInitialEvents',
    type: 'boolean',
    use: 'watch',
    description: 'With watch: send the existing objects first, whatever the resourceVersion.',
  },
  {
    name: 'includeObject',
    type: 'text',
    use: 'read',
    values: ROW_OBJECTS,
    default: ROW_OBJECTS[0],
    description: `With ${AS_TABLE}: the part of each object that a row has in addition to its cells.`,
  },
  {
    name: 'dateCells',
    type: 'text',
    use: 'read',
    values: DATE_CELLS,
    default: DATE_CELLS[0],
    description: `With ${AS_TABLE}: format of date cells: the age, such as \`5m\`, or the time.`,
  },
] as const satisfies readonly ReadParameter[];

export type ReadParameterName = (typeof READ_PARAMETERS)[number]['name'];
