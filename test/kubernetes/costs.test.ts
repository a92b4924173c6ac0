import { afterAll, beforeAll, expect, it } from 'vitest';
import { define, DEFINITIONS, gadget, gadgets, gadgetsIn } from '../helpers/definitions.js';
import { startKubernetesServer, type KubernetesServer } from '../helpers/kubernetes.js';

const OBJECTS = gadgetsIn('default');
const many = <T>(count: number, value: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => value(at));

function withSpec(properties: Readonly<Record<string, object>>, plural = 'gadgets') {
  return gadgets((spec) => {
    if (plural !== 'gadgets') spec.names = { plural, kind: 'Other' };
    const [version] = spec.versions;
    if (version !== undefined)
      version.schema.openAPIV3Schema.properties = { spec: { type: 'object', properties } };
  });
}

let server: KubernetesServer;

beforeAll(async () => {
  server = await startKubernetesServer();
  const text = { type: 'string' };
  await define(
    server,
    withSpec({
      large: {
        type: 'array',
        items: { type: 'object', properties: { a: { ...text, default: 'x'.repeat(100_000) } } },
      },
      time: { ...text, format: 'duration' },
      words: { type: 'array', items: { ...text, anyOf: many(300, (at) => ({ enum: [`${at}`] })) } },
      pattern: { ...text, pattern: '^[ab]*a[ab]{990}$' },
    }),
  );
});

afterAll(() => server.close());

it.each<[string, object, string]>([
  ['defaults of items', { large: many(200_000, () => ({})) }, 'defaults'],
  ['branches and items', { words: many(60_000, () => 'x') }, 'schemas'],
  ['a pattern and a text', { pattern: 'ab'.repeat(500_000) }, 'patterns'],
])('an object that takes too long to check is refused: %s', async (_, spec, kind) => {
  const answer = await server.send('POST', OBJECTS, { body: gadget('a', spec) });
  expect(answer.status, answer.text).toBe(422);
  const [cause] = answer.json().details.causes as readonly { message: string }[];
  expect(cause?.message).toContain(`takes too long to check, most of it for ${kind}`);
});

it('a long text is read in linear time by a format', async () => {
  const body = gadget('a', { time: '1'.repeat(85_000) });
  const answer = await server.send('POST', OBJECTS, { body });
  expect(answer.status, answer.text).toBe(422);
  expect(answer.text).toContain('spec.time');
});

it.each<[string, object]>([
  [
    'many large patterns',
    {
      properties: Object.fromEntries(
        many(2_000, (at) => [`p${at}`, { type: 'string', pattern: `^[a-z${at}]{900}$` }]),
      ),
    },
  ],
  [
    'a long pattern',
    { properties: { a: { type: 'string', pattern: many(50_000, (at) => `word${at}`).join('|') } } },
  ],
  [
    'a long default of a text',
    {
      properties: { a: { type: 'string', pattern: '^[ab]*a[ab]{990}$', default: 'ab'.repeat(300_000) } },
    },
  ],
  [
    'a default with many items',
    {
      properties: {
        a: {
          type: 'array',
          items: { type: 'string', anyOf: many(300, (at) => ({ enum: [`${at}`] })) },
          default: many(30_000, () => 'x'),
        },
      },
    },
  ],
])(
  'a definition that takes too long to check is refused: %s',
  async (_, { properties }: { properties?: Record<string, object> }) => {
    const body = withSpec(properties ?? {}, 'others');
    const answer = await server.send('POST', DEFINITIONS, { body });
    expect(answer.status, answer.text).toBe(422);
    expect(answer.text).toContain('takes too long to check');
  },
);

it('a definition may have an enum of many objects', async () => {
  const values = many(30_000, (at) => ({ a: at }));
  const list = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, enum: values };
  await server.post(DEFINITIONS, withSpec({ list }, 'others'));
});
