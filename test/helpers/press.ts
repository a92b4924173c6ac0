import { putFiles } from './cli.js';

const PRESS = 'press.example.com';
export const WRITERS = `/apis/${PRESS}/v1/writers`;
export const ARTICLES = `/apis/${PRESS}/v1/articles`;

const toWriter = (onDelete?: string): object => ({
  type: 'string',
  'x-xsvc-reference': { group: PRESS, kind: 'Writer', ...(onDelete !== undefined && { onDelete }) },
});

/** The references of articles, one with each policy. */
export const REFERENCES = {
  writer: toWriter(),
  owner: toWriter('cascade'),
  editor: toWriter('clear'),
};
/** The same fields without references. */
export const PLAIN = Object.fromEntries(Object.keys(REFERENCES).map((name) => [name, { type: 'string' }]));

/** Writes two plugins below `plugins` of a directory: `people` has writers, `press` has articles. */
export function putPress(cwd: string, properties: object = REFERENCES): Promise<void> {
  const files: Record<string, string> = {};
  for (const [plugin, kind, spec] of [
    ['people', 'Writer', { title: { type: 'string' }, full: { type: 'string' } }],
    ['press', 'Article', properties],
  ] as const) {
    const plural = `${kind.toLowerCase()}s`;
    const names = { group: PRESS, version: 'v1', kind, plural, singular: kind.toLowerCase() };
    const schema = { type: 'object', properties: { spec: { type: 'object', properties: spec } } };
    files[`plugins/${plugin}/plugin.yaml`] =
      `apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: ${plugin} }\nspec: { version: 1.0.0 }\n`;
    files[`plugins/${plugin}/index.mjs`] = `import { AbstractExtension, BasePlugin, GVK } from 'xsvc';
class ${kind} extends AbstractExtension { static schema = ${JSON.stringify(schema)}; }
GVK(${JSON.stringify(names)})(${kind});
export default class Main extends BasePlugin { start() { this.ctx.schemeManager.register(${kind}); } }
`;
  }
  return putFiles(cwd, files);
}

/** A manifest as one line of JSON. */
export function line(kind: 'Writer' | 'Article', name: string, spec: object = {}): string {
  return `${JSON.stringify({ apiVersion: `${PRESS}/v1`, kind, metadata: { name }, spec })}\n`;
}
