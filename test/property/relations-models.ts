import path from 'node:path';
import { putFiles } from '../helpers/cli.js';
import type { Random } from '../helpers/seed.js';
import {
  randomFields,
  randomReferences,
  REFERENCE_GROUP,
  REFERENCE_KINDS,
  referenceProperties,
  type RandomField,
} from './reference-fields.js';
import {
  randomRuled,
  RULE_PAIRS,
  RULED_PROPERTIES,
  validationsOf,
  type RulePair,
  type RuledSpec,
} from './rule-pairs.js';

export const API_VERSION = `${REFERENCE_GROUP}/v1`;

/** A model that refers to others, and has rules over fields that clearing a reference leaves alone. */
export interface RelatedModel {
  readonly kind: string;
  readonly plural: string;
  readonly fields: readonly RandomField[];
  readonly rules: readonly RulePair[];
}

/** Names that it refers to stand beside the fields that rules are about. */
export type RelatedSpec = RuledSpec & Readonly<Record<string, unknown>>;

export function randomModels(random: Random): readonly RelatedModel[] {
  return REFERENCE_KINDS.map((kind) => {
    const rules = new Set(random.many(1, 3, () => random.pick(RULE_PAIRS)));
    return { kind, plural: `${kind.toLowerCase()}s`, fields: randomFields(random), rules: [...rules] };
  });
}

export function randomSpec(random: Random, { fields }: RelatedModel): RelatedSpec {
  return { ...randomRuled(random), ...randomReferences(random, fields) };
}

/** The same fields, of which nothing is asked. */
function plainProperties(fields: readonly RandomField[]): object {
  const types = fields.map(({ name, isList }) => [
    name,
    isList ? { type: 'array', items: { type: 'string' } } : { type: 'string' },
  ]);
  return Object.fromEntries(types) as object;
}

function schemaOf({ fields, rules }: RelatedModel, isStrict: boolean): object {
  const references = isStrict ? referenceProperties(fields) : plainProperties(fields);
  const spec = {
    type: 'object',
    properties: { ...RULED_PROPERTIES, ...references },
    ...(isStrict && { 'x-kubernetes-validations': validationsOf(rules) }),
  };
  return { type: 'object', properties: { spec } };
}

/**
 * Writes a plugin that declares the models.
 * @param isStrict with their references and rules
 * @returns the directory of plugins
 */
export async function putModels(
  cwd: string,
  models: readonly RelatedModel[],
  isStrict: boolean,
): Promise<string> {
  const directory = isStrict ? 'strict' : 'open';
  const declared = models.map((model) => {
    const { kind, plural } = model;
    const names = { group: REFERENCE_GROUP, version: 'v1', kind, plural, singular: kind.toLowerCase() };
    return `class ${kind} extends AbstractExtension { static schema = ${JSON.stringify(schemaOf(model, isStrict))}; }
GVK(${JSON.stringify(names)})(${kind});
`;
  });
  const registered = models.map(({ kind }) => `this.ctx.schemeManager.register(${kind});`);
  await putFiles(path.join(cwd, directory, 'relations'), {
    'plugin.yaml':
      'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: relations }\nspec: { version: 1.0.0 }\n',
    'index.mjs': `import { AbstractExtension, BasePlugin, GVK } from 'xsvc';
${declared.join('')}export default class Main extends BasePlugin { start() { ${registered.join(' ')} } }
`,
  });
  return path.join(cwd, directory);
}
