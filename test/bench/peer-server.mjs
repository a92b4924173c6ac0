/**
 * A thin server on PostgreSQL: what somebody would write with fastify and pg to store, list and watch the objects of the
 * benchmark. Usage: node test/bench/peer-server.mjs DIRECTORY_OF_THE_SOCKET
 */
import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import pg from 'pg';

const RECORDS = '/apis/bench.example.com/v1/records';
const SIZE_MAX = 500;
const connection = { host: process.argv[2], user: 'postgres', password: 'password', database: 'postgres' };
const pool = new pg.Pool({ ...connection, max: 32 });
const SORTS = {
  'spec.due': 'due',
  'spec.title': 'title',
  'spec.owner': 'owner',
  'spec.priority': 'priority',
};

const text = { type: 'string' };
const recordSchema = {
  type: 'object',
  required: ['metadata', 'spec'],
  properties: {
    metadata: {
      type: 'object',
      required: ['name'],
      properties: { name: text, labels: { type: 'object', additionalProperties: text } },
    },
    spec: {
      type: 'object',
      required: ['title', 'owner'],
      properties: {
        title: text,
        owner: text,
        priority: { type: 'integer' },
        due: { type: 'string', format: 'date-time' },
        note: text,
      },
    },
  },
};

const app = fastify({ bodyLimit: 1024 * 1024 });
app.addContentTypeParser(
  'application/merge-patch+json',
  { parseAs: 'string' },
  app.getDefaultJsonParser('error', 'error'),
);

app.get(`${RECORDS}/:name`, async (request, reply) => {
  const { rows } = await pool.query({
    name: 'get',
    text: 'SELECT object::text FROM records WHERE name = $1',
    values: [request.params.name],
  });
  if (rows.length === 0) return reply.code(404).send({ message: 'not found' });
  return reply.type('application/json').send(rows[0].object);
});

app.get(RECORDS, async (request, reply) => {
  const { sort = '', size, page = '1', labelSelector, watch } = request.query;
  if (watch === 'true') return openWatch(reply);
  const [field = '', direction = 'asc'] = String(sort).split(',');
  const column = SORTS[field] ?? 'name';
  const order = direction === 'desc' ? 'DESC' : 'ASC';
  // Without a size, all of them.
  const limit = size === undefined ? null : Math.min(SIZE_MAX, Number(size));
  const labels = labelSelector === undefined ? [] : [Object.fromEntries([labelSelector.split('=')])];
  const where = labels.length === 0 ? '' : 'WHERE labels @> $3';
  const { rows } = await pool.query({
    // A plan of all values would sort all objects that match: with a selector it is planned for its values.
    ...(labels.length === 0 && { name: `list ${column} ${order}` }),
    text:
      `SELECT (SELECT count(*) FROM records ${where}) AS total, ` +
      `(SELECT coalesce(string_agg(object::text, ','), '') FROM ` +
      `(SELECT object FROM records ${where} ORDER BY ${column} ${order}, name ASC LIMIT $1 OFFSET $2) AS part) AS items`,
    values: [limit, limit * (Number(page) - 1), ...labels],
  });
  const [{ total, items }] = rows;
  return reply.type('application/json').send(`{"items":[${items}],"total":${total}}`);
});

app.post(RECORDS, { schema: { body: recordSchema } }, async (request, reply) => {
  const { metadata, ...rest } = request.body;
  const stored = {
    ...rest,
    metadata: {
      ...metadata,
      uid: randomUUID(),
      version: 0,
      creationTimestamp: new Date().toISOString(),
    },
  };
  const { spec } = stored;
  const { rows } = await pool.query({
    name: 'create',
    text:
      'INSERT INTO records (name, labels, title, owner, priority, due, object) VALUES ($1, $2, $3, $4, $5, $6, $7) ' +
      'RETURNING object::text',
    values: [metadata.name, metadata.labels ?? {}, spec.title, spec.owner, spec.priority, spec.due, stored],
  });
  return reply.code(201).type('application/json').send(rows[0].object);
});

app.patch(`${RECORDS}/:name`, async (request, reply) => {
  const { spec = {} } = request.body;
  const { rows } = await pool.query({
    name: 'patch',
    text:
      `UPDATE records SET priority = coalesce($2, priority), title = coalesce($3, title), ` +
      `object = jsonb_set(jsonb_set(object, '{spec}', (object->'spec') || $4), '{metadata,version}', ` +
      `to_jsonb((object->'metadata'->>'version')::int + 1)) WHERE name = $1 RETURNING object::text`,
    values: [request.params.name, spec.priority ?? null, spec.title ?? null, spec],
  });
  if (rows.length === 0) return reply.code(404).send({ message: 'not found' });
  return reply.type('application/json').send(rows[0].object);
});

const watchers = new Set();

function openWatch(reply) {
  reply.hijack();
  reply.raw.writeHead(200, { 'Content-Type': 'application/json' });
  reply.raw.flushHeaders();
  watchers.add(reply.raw);
  reply.raw.on('close', () => watchers.delete(reply.raw));
}

/** Sends each change to all watchers; it is serialized once. */
async function listen() {
  const client = new pg.Client(connection);
  await client.connect();
  client.on('notification', ({ payload }) => {
    const line = Buffer.from(`${payload}\n`);
    for (const watcher of watchers) watcher.write(line);
  });
  await client.query('LISTEN records');
}

await listen();
await app.listen({ host: '127.0.0.1', port: 0 });
const { port } = app.server.address();
console.log(`listening on http://127.0.0.1:${port}`);
process.on('SIGTERM', () => process.exit(0));
