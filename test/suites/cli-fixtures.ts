import type { ObjectDraft } from '../../src/model/object.js';
import type { Verbs } from '../../src/service/verbs.js';

/** The expected output: exactly this text (see `withoutVolatile`), or one that fits all of these patterns. */
export type Expected = string | RegExp | readonly RegExp[];

export interface CliStep {
  /** Split at spaces; a list where an argument has some itself. */
  readonly argv: string | readonly string[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default 0. */
  readonly code?: number;
  /** Undefined: anything. */
  readonly out?: Expected;
  /** Undefined: nothing after success, anything after a failure. */
  readonly err?: Expected;
  /** Members that the output has as JSON. */
  readonly json?: object;
}

/** One story on the command line. It begins with the objects given and no others. */
export interface CliCase {
  readonly title: string;
  /** Through one door only, because that is what the case is about. */
  readonly only?: 'store' | 'http';
  readonly files?: Readonly<Record<string, string>>;
  readonly given?: readonly ObjectDraft[];
  /** Writes made before the steps by other means than the command line. */
  readonly before?: (verbs: Verbs) => Promise<unknown>;
  readonly steps: readonly CliStep[];
}

/** A plugin with two models that share their names, in plain JavaScript. */
export const TWINS_PLUGIN: Readonly<Record<string, string>> = {
  'plugin.yaml': `apiVersion: plugin.platform.run/v1alpha1
kind: Plugin
metadata:
  name: twins
spec:
  version: 1.0.0
`,
  'index.js': `import { AbstractExtension, BasePlugin, GVK } from 'xsvc';
const model = (group) => {
  class Pet extends AbstractExtension {
    static schema = { type: 'object', properties: { spec: { type: 'object', properties: { name: { type: 'string' } } } } };
  }
  GVK({ group, version: 'v1', kind: 'Pet', plural: 'pets', singular: 'pet' })(Pet);
  return Pet;
};
export default class Twins extends BasePlugin {
  start() {
    for (const group of ['farm.example.com', 'home.example.com']) this.ctx.schemeManager.register(model(group));
  }
}
`,
};

/** The manifest of a person; lines: 1 apiVersion, 2 kind, 3 metadata, 4 name, 5 spec, 6 and on the spec. */
export function manifest(name: string, ...spec: readonly string[]): string {
  const lines = spec.length === 0 ? [`name: ${name}`] : spec;
  const head = `apiVersion: demo.example.com/v1alpha1\nkind: Person\nmetadata:\n  name: ${name}\nspec:\n`;
  return head + lines.map((line) => `  ${line}\n`).join('');
}

/** Several documents in one file. */
export function documents(...texts: readonly string[]): string {
  return texts.join('---\n');
}

export function person(name: string, spec: object = {}, metadata: object = {}): ObjectDraft {
  return { metadata: { name, ...metadata }, spec: { name: name.toUpperCase(), ...spec } };
}

export const PEOPLE = [
  person('ann', { age: 30, tags: ['a'] }, { labels: { team: 'red', 'demo.example.com/floor': '2' } }),
  person('bob', { age: 40, email: 'bob@example.com' }, { labels: { team: 'blue' } }),
  person('cy', { age: 25, tags: ['a', 'b'] }),
];
