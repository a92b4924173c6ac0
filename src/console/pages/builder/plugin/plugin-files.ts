import { objectAt, textAt, type JsonObject } from '../../../lib/json.js';
import {
  columnsOf,
  indexItems,
  rootSchema,
  searchPaths,
  storageVersion,
  versionsOf,
} from '../draft/definition-parts.js';
import { HINTS } from '../draft/field-types.js';
import type { ModelDraft, ModelNames } from '../draft/model-draft.js';
import { pathOf } from '../draft/names.js';
import { placedFields } from '../draft/placed-fields.js';
import { writeDefinition } from '../draft/write-definition.js';
import { accessTo, classOf, toCode } from './field-code.js';

interface PluginFile {
  readonly name: string;
  readonly text: string;
}

interface ExportedPlugin {
  readonly name: string;
  readonly files: readonly PluginFile[];
  /** Parts of the definition that the code does not have. */
  readonly leftOut: readonly string[];
}

/** A model as a plugin in TypeScript. */
export function exportPlugin(draft: ModelDraft, names: ModelNames): ExportedPlugin {
  const definition = writeDefinition(draft, names);
  const spec = classOf(`${names.kind}Spec`, draft.fields);
  const code = [
    ...spec.lines,
    ...modelLines(draft, names, definition),
    ...pluginLines(draft, names, definition),
  ];
  const used = ['AbstractExtension', 'BasePlugin', 'GVK', 'IndexSpecs', 'Reference', 'Schema'].filter(
    (word) => code.some((line) => new RegExp(`\\b${word}\\b`).test(line)),
  );
  return {
    name: names.plural,
    files: [
      { name: 'plugin.yaml', text: manifest(draft, names) },
      { name: 'index.ts', text: [`import { ${used.join(', ')} } from 'xsvc';`, '', ...code].join('\n') },
    ],
    leftOut: [...spec.leftOut, ...leftOut(definition, draft)],
  };
}

/** JSON is YAML, too. */
function manifest({ title }: ModelDraft, { plural }: ModelNames): string {
  return `apiVersion: plugin.platform.run/v1alpha1
kind: Plugin
metadata: { name: ${plural} }
spec:
  version: 1.0.0
  displayName: ${JSON.stringify(title)}
`;
}

function modelLines(draft: ModelDraft, names: ModelNames, definition: JsonObject): readonly string[] {
  const { kind, group, version, plural, singular } = names;
  const { title, description, [HINTS]: hints } = rootSchema(definition);
  const given = Object.entries({ title, description, console: hints });
  const about = given.filter(([, value]) => value !== undefined);
  const columns = columnsOf(definition).map((one) => `    ${toCode(one)},`);
  const isRequired = draft.fields.some((field) => field.isRequired);
  return [
    ...(about.length > 0 ? [`@Schema(${toCode(Object.fromEntries(about))})`] : []),
    `@GVK(${toCode({ group, version, kind, plural, singular })})`,
    `export class ${kind} extends AbstractExtension {`,
    ...(columns.length > 0 ? ['  static readonly columns = [', ...columns, '  ];'] : []),
    `  @Schema({ type: ${kind}Spec${isRequired ? ", requiredMode: 'REQUIRED'" : ''} })`,
    `  spec${isRequired ? '!' : '?'}: ${kind}Spec;`,
    '}',
    '',
  ];
}

function pluginLines(draft: ModelDraft, { kind }: ModelNames, definition: JsonObject): readonly string[] {
  const indexes = indexLines(draft, kind, definition);
  const register = `    this.ctx.schemeManager.register(${kind}`;
  return [
    `export default class ${kind}Plugin extends BasePlugin {`,
    '  start(): void {',
    ...(indexes.length > 0
      ? [`${register}, (specs) => {`, '      specs', ...indexes, '    });']
      : [`${register});`]),
    '  }',
    '}',
    '',
  ];
}

const VALUES: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  integer: 'number',
  long: 'number',
  number: 'number',
};

function indexLines(draft: ModelDraft, kind: string, definition: JsonObject): readonly string[] {
  const placed = placedFields(draft.fields).filter(({ isInList }) => !isInList);
  const accesses = (path: string): readonly string[] =>
    placed.filter(({ way }) => pathOf(way) === path).map(({ way }) => accessTo(way));
  const fields = indexItems(definition).flatMap(({ field, type = 'string', unique, multi }) =>
    accesses(field).map((access) => {
      const of = `<${kind}, ${VALUES[String(type)] ?? 'string'}>(${toCode(field.slice(1))}, ${toCode(type)})`;
      const value = multi === true ? `${access} ?? []` : access;
      const made = `IndexSpecs.${multi === true ? 'multi' : 'single'}${of}.indexFunc((o) => ${value})`;
      return `        .add(${made}${unique === true ? '.unique(true)' : ''})`;
    }),
  );
  const texts = searchPaths(definition).flatMap(accesses);
  const text = `        .add(IndexSpecs.text<${kind}>('search').indexFunc((o) => [${texts.join(', ')}]))`;
  const all = [...fields, ...(texts.length > 0 ? [text] : [])];
  return all.map((line, i) => (i === all.length - 1 ? `${line};` : line));
}

/** Parts of a definition outside of its fields that the code does not have. */
function leftOut(definition: JsonObject, { stored }: ModelDraft): readonly string[] {
  const version = storageVersion(definition);
  const others = versionsOf(definition).length > 1 ? ['versions'] : [];
  const members = ['selectableFields', 'subresources'].filter((name) => name in version);
  const root = Object.keys(objectAt(rootSchema(definition), 'properties')).filter((name) => name !== 'spec');
  const scope = textAt(objectAt(stored, 'spec'), 'scope') === 'Namespaced' ? ['scope: Namespaced'] : [];
  return [...others, ...members, ...root, ...scope];
}
