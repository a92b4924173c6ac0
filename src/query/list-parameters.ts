/** Greatest page number, page size and limit. */
export const PAGE_MAX = 2_147_483_647;

/**
 * A parameter of the URL of a list, and a member of `ListOptions`. The parser of URLs, OpenAPI, the command line and
 * the client read this table.
 */
export interface ListParameter {
  readonly name: string;
  /** Only `texts` may be repeated in a URL. */
  readonly type: 'text' | 'texts' | 'integer';
  /**
   * `select`: chooses objects, also of watches. `search`: chooses and orders them. `sort`: orders them. `page`: the contents
   * of one answer.
   */
  readonly use: 'select' | 'search' | 'sort' | 'page';
  /** Default 0. */
  readonly min?: number;
  /** Of an integer. */
  readonly max?: number;
  /** Default: `min`. */
  readonly default?: number;
  /** Markdown, for OpenAPI. */
  readonly description: string;
  /** The flag of commands that list, and its help. */
  readonly flag: readonly [flags: string, help: string];
}

/** In the order of the flags in the help. */
export const LIST_PARAMETERS = [
  {
    name: 'labelSelector',
    type: 'texts',
    use: 'select',
    description:
      'Requirements on the labels, separated by commas; all must hold: `k=v`, `k!=v`, `k`, `!k`, `k in (a,b)`, `k notin (a,b)`.',
    flag: ['-l, --selector <selector>', 'filter by labels, like app=web (repeatable)'],
  },
  {
    name: 'fieldSelector',
    type: 'texts',
    use: 'select',
    description:
      'Requirements on indexed fields, separated by commas; all must hold: `f=v`, `f!=v`, `f in (a,b)`, ' +
      '`f notin (a,b)`, `f>v`, `f>=v`, `f<v`, `f<=v`, `f` (has a value), `!f` (has none).',
    flag: ['--field-selector <selector>', 'filter by indexed fields, like spec.age=30 (repeatable)'],
  },
  {
    name: 'filter',
    type: 'texts',
    use: 'select',
    description:
      'An expression of CEL over indexed fields and labels: `==` `!=` `<` `<=` `>` `>=` `in` `&&` `||` `!`, `has(f)`, ' +
      '`f.startsWith(s)`, `f.endsWith(s)`, `f.contains(s)`, `v in f` and `f.exists(x, ..)` for fields with several ' +
      'values, `metadata.labels["k"]`, `timestamp(s)`, `duration(s)`, `now`, and in lists `ref(f).g`, the field `g` of the ' +
      'objects that the reference `f` names.',
    flag: [
      '--filter <expression>',
      'filter by an expression, like spec.age > 30 || has(spec.email) (repeatable)',
    ],
  },
  {
    name: 'search',
    type: 'text',
    use: 'search',
    description:
      'Words that the texts of an object have, in any case and without diacritics; all must be there, and the last one may be ' +
      'the beginning of a word unless a blank follows: `word`, `"two words"` side by side, `-word` and `-"two words"` ' +
      'for none. Without `sort` the order is by relevance.',
    flag: ['--search <text>', 'filter by words of the text index, like: disk "read only" -test'],
  },
  {
    name: 'sort',
    type: 'texts',
    use: 'sort',
    description: 'Order as `<field>[,asc|desc]`; repeatable.',
    flag: ['--sort <field>', 'sort order, as <field>[,asc|desc]; the field must have an index (repeatable)'],
  },
  {
    name: 'page',
    type: 'integer',
    use: 'page',
    min: 1,
    max: PAGE_MAX,
    description: 'Number of the page, from 1, which is the default. A page beyond the last is empty.',
    flag: ['--page <number>', 'page of the list, from 1'],
  },
  {
    name: 'size',
    type: 'integer',
    use: 'page',
    max: PAGE_MAX,
    description: 'Objects per page; 0, the default, means all that match.',
    flag: ['--size <number>', 'objects per page; 0 means all'],
  },
  {
    name: 'limit',
    type: 'integer',
    use: 'page',
    max: PAGE_MAX,
    description:
      'Maximum number of objects; `metadata.continue` of the answer continues the list. Not together with page and size.',
    flag: [
      '--limit <number>',
      'maximum number of objects; metadata.continue of the result continues the list; 0 means no limit',
    ],
  },
  {
    name: 'continue',
    type: 'text',
    use: 'page',
    description: '`metadata.continue` of the previous answer, sent with the same other parameters.',
    flag: ['--continue <token>', 'with --limit, metadata.continue of the previous list'],
  },
  {
    name: 'facets',
    type: 'texts',
    use: 'page',
    description:
      'Indexed fields, separated by commas, whose values are counted among all matches; a label as `metadata.labels["k"]`.',
    flag: [
      '--facets <fields>',
      'also count the values of these fields among all matches, as <field>[,<field>] (repeatable)',
    ],
  },
  {
    name: 'facetLimit',
    type: 'integer',
    use: 'page',
    min: 1,
    max: 1_000,
    default: 20,
    description: 'Maximum number of values of each facet, the most frequent ones; 20 by default.',
    flag: ['--facet-limit <number>', 'with --facets, maximum number of values per field'],
  },
  {
    name: 'expand',
    type: 'texts',
    use: 'page',
    description:
      'References to follow, separated by commas: `spec.service`, or `spec.service->spec.team` for those of a target, at ' +
      'most three steps. `included` of the answer has the objects that they name.',
    flag: [
      '--expand <references>',
      'with -o json or yaml, also print the objects that references name, as <field>[-><field>][,<field>] (repeatable)',
    ],
  },
  {
    name: 'aggregates',
    type: 'texts',
    use: 'page',
    description:
      'Functions of all matches, separated by commas: `count`, and `sum(f)`, `avg(f)`, `min(f)`, `max(f)` of indexed ' +
      'fields with one value. The answer has `groups` and `groupsTotal`.',
    flag: [
      '--aggregate <functions>',
      'also count and sum all matches, as count,sum(<field>); avg, min and max too (repeatable)',
    ],
  },
  {
    name: 'groupBy',
    type: 'texts',
    use: 'page',
    description:
      'With `aggregates`, up to 3 indexed fields, separated by commas: a group for each of their values; a label as ' +
      '`metadata.labels["k"]`.',
    flag: [
      '--group-by <fields>',
      'with --aggregate, a group for each value, as <field>[,<field>] (repeatable)',
    ],
  },
  {
    name: 'groupLimit',
    type: 'integer',
    use: 'page',
    min: 1,
    max: 10_000,
    default: 100,
    description: 'Maximum number of groups, the most frequent ones; 100 by default.',
    flag: ['--group-limit <number>', 'with --group-by, maximum number of groups'],
  },
] as const satisfies readonly ListParameter[];

export type ListParameterName = (typeof LIST_PARAMETERS)[number]['name'];

/** @throws Error for a name without a row */
export function getListParameter(name: ListParameterName): ListParameter {
  const found = LIST_PARAMETERS.find((parameter) => parameter.name === name);
  if (found === undefined) throw new Error(`no list parameter ${name}`);
  return found;
}

/** The parameters that choose objects. */
export const SELECTORS = LIST_PARAMETERS.filter((parameter) => parameter.use === 'select');

export type SelectorName = (typeof SELECTORS)[number]['name'];
