import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { itemAt } from './items.mjs';

/**
 * The SQL expressions of an item's fields: one for each index that `Item` declares, and one for each key of its labels.
 * The server's locale is C, so texts are in the order of their bytes.
 */
const FIELDS = {
  owner: ['text', `(doc->'spec'->>'owner')`],
  section: ['text', `(doc->'spec'->>'section')`],
  size: ['bigint', `((doc->'spec'->>'size')::bigint)`],
  active: ['boolean', `((doc->'spec'->>'active')::boolean)`],
  // RFC 3339 in UTC with milliseconds: texts are in the order of time, and a cast to timestamptz cannot be indexed.
  time: ['text', `(doc->'spec'->>'time')`],
  priority: ['text', `(doc->'spec'->>'priority')`],
  tier: ['text', `(doc->'metadata'->'labels'->>'tier')`],
  region: ['text', `(doc->'metadata'->'labels'->>'region')`],
  team: ['text', `(doc->'metadata'->'labels'->>'team')`],
  visibility: ['text', `(doc->'metadata'->'labels'->>'visibility')`],
};

/** The default of `facetLimit`. */
const FACET_LIMIT = 20;

/**
 * The items in PostgreSQL: a document each, and a btree index for each field, with the name as the tie-break.
 * The layout `columns` has the fields as stored generated columns, which allows for index-only scans; `expressions`
 * has indexes of expressions on the document.
 */
export class PgItems {
  /** Statements by the id of their query. */
  #statements = new Map();

  constructor(client, layout) {
    this.client = client;
    this.layout = layout;
  }

  #field(name) {
    return this.layout === 'columns' ? name : FIELDS[name][1];
  }

  /** @returns milliseconds for the objects, the indexes, and statistics with visibility map; bytes on disk */
  async load(count, directory) {
    const generated = Object.entries(FIELDS).map(
      ([name, [type, expression]]) => `, ${name} ${type} GENERATED ALWAYS AS ${expression} STORED`,
    );
    const columns = this.layout === 'columns' ? generated.join('') : '';
    await this.client.query(
      `CREATE TABLE objects (name text COLLATE "C" PRIMARY KEY, doc jsonb NOT NULL${columns})`,
    );
    const file = path.join(directory, 'items.tsv');
    await writeItems(file, count);
    const objects = await this.#timed(`COPY objects (name, doc) FROM '${file}'`);
    let indexes = 0;
    for (const name of Object.keys(FIELDS)) {
      indexes += await this.#timed(`CREATE INDEX objects_${name} ON objects (${this.#field(name)}, name)`);
    }
    const statistics = (await this.#timed('VACUUM ANALYZE objects')) + (await this.#timed('CHECKPOINT'));
    const { rows } = await this.client.query(`SELECT pg_total_relation_size('objects') AS bytes`);
    return { objects, indexes, statistics, bytes: Number(rows[0].bytes) };
  }

  async #timed(sql) {
    const began = performance.now();
    await this.client.query(sql);
    return performance.now() - began;
  }

  /** The page of a query and the exact number of its matches, in one round trip; a second one for facets. */
  async list(query, values, form = this.#statements.get(query.id) ?? 'twice') {
    const { rows } = await this.client.query({
      name: `${query.id}-${form}`,
      text: this.statement(query, form),
      values: query.params(values),
    });
    const page = { total: Number(rows[0]?.total ?? 0), items: rows.map(({ doc }) => doc) };
    return query.facets === undefined ? page : { ...page, facets: await this.#facets(query, values) };
  }

  /** The most frequent values of each field, all counted in one scan. */
  async #facets(query, values) {
    const fields = query.facets.map((name) => `${this.#field(name)} AS ${name}`);
    const sets = query.facets.map((_, i) => `(${i + 1})`);
    const { rows } = await this.client.query({
      name: `${query.id}-facets`,
      text: `SELECT ${fields.join(', ')}, count(*) AS count FROM objects WHERE ${this.#where(query)}
        GROUP BY GROUPING SETS (${sets.join(', ')})`,
      values: query.params(values),
    });
    return query.facets.map((name) =>
      rows
        .filter((row) => row[name] !== null)
        .map((row) => ({ value: row[name], count: Number(row.count) }))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
        .slice(0, FACET_LIMIT),
    );
  }

  /** From now on the query is answered by the statement of this form. */
  use(query, form) {
    this.#statements.set(query.id, form);
  }

  formOf(query) {
    return this.#statements.get(query.id);
  }

  #where({ where }) {
    return where.replaceAll(/\{(\w+)\}/g, (_, name) => this.#field(name));
  }

  statement(query, form) {
    const { order, offset, size } = query;
    const matching = this.#where(query);
    const page = `LIMIT ${size} OFFSET ${offset}`;
    if (form === 'twice') {
      const by = order === undefined ? 'name' : `${this.#field(order[0])} ${order[1]}, name`;
      return `SELECT doc, (SELECT count(*) FROM objects WHERE ${matching}) AS total
        FROM objects WHERE ${matching} ORDER BY ${by} ${page}`;
    }
    const key = order === undefined ? '0' : this.#field(order[0]);
    const by = order === undefined ? 'name' : `key ${order[1]}, name`;
    return `WITH matches AS MATERIALIZED (SELECT name, ${key} AS key FROM objects WHERE ${matching}),
        page AS (SELECT name, key FROM matches ORDER BY ${by} ${page})
      SELECT doc, (SELECT count(*) FROM matches) AS total FROM page JOIN objects USING (name) ORDER BY ${by}`;
  }
}

/** Matches are looked for once for the page and once for the count, or kept aside for both. */
export const FORMS = ['twice', 'once'];

async function writeItems(file, count) {
  const stream = createWriteStream(file, { mode: 0o644 });
  for (let i = 0; i < count; i++) {
    const item = itemAt(i, count);
    // No item has characters that would need an escape.
    if (!stream.write(`${item.metadata.name}\t${JSON.stringify(item)}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
}
