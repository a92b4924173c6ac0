import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { writeFileSync } from 'node:fs';
import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';
import { NEW_MODEL, type ModelDraft } from '../../src/console/pages/builder/draft/model-draft.js';
import {
  indexItems,
  rootSchema,
  searchPaths,
} from '../../src/console/pages/builder/draft/definition-parts.js';
import { writeDefinition } from '../../src/console/pages/builder/draft/write-definition.js';
import { exportPlugin } from '../../src/console/pages/builder/plugin/plugin-files.js';
import { writeTar } from '../../src/console/pages/builder/plugin/tar.js';
import { putFiles } from '../helpers/cli.js';
import { startDaemonProcess } from '../helpers/daemon.js';
import type { Json } from '../helpers/http.js';
import { DRAFT_NAMES, randomDraft } from '../helpers/model-drafts.js';
import { Random } from '../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const MODELS = '/apis/api.platform.run/v1alpha1/models';

afterAll(removeDirectories);

/** Random models under different names, for one plugin directory. */
function models(
  count: number,
): readonly { readonly draft: ModelDraft; readonly names: typeof DRAFT_NAMES }[] {
  return Array.from({ length: count }, (_, i) => {
    const names = { ...DRAFT_NAMES, kind: `Thing${i}`, plural: `things${i}`, singular: `thing${i}` };
    return { draft: { ...randomDraft(new Random(SEED + i)), names }, names };
  });
}

/** A schema with its named types in their places, without what only definitions need. */
function plain(schema: Json, root: Json): unknown {
  const {
    $ref,
    allOf,
    $defs: _,
    'x-kubernetes-preserve-unknown-fields': _open,
    ...own
  } = schema as Json & { $ref?: string; allOf?: Json[] };
  if (typeof $ref === 'string') {
    const defs = (root['$defs'] ?? {}) as Record<string, Json>;
    return plain({ ...(defs[$ref.replace('#/$defs/', '')] ?? {}), ...own }, root);
  }
  if (allOf?.[0] !== undefined) return plain({ ...allOf[0], ...own }, root);
  return Object.fromEntries(
    Object.entries(own)
      .filter(([, value]) => value !== undefined)
      .map(([word, value]) => {
        if (word === 'properties')
          return [
            word,
            Object.fromEntries(
              Object.entries(value as Record<string, Json>).map(([name, one]) => [name, plain(one, root)]),
            ),
          ];
        return [word, word === 'items' ? plain(value as Json, root) : value];
      }),
  );
}

const specOf = (schema: Json): Json => (schema['properties'] as Record<string, Json>)['spec'] ?? ({} as Json);

describe('a model exported as a plugin', () => {
  it(`is compiled, served, and has the schema, indexes, columns and hints of the definition (SEED=${SEED})`, async () => {
    const directory = temporaryDirectory();
    const all = models(6);
    const files = all.flatMap(({ draft, names }) => {
      const { name, files: own } = exportPlugin(draft, names);
      return own.map((file) => [`plugins/${name}/${file.name}`, file.text] as const);
    });
    // References lead to a model that must exist.
    const target = exportPlugin(
      { ...NEW_MODEL, title: 'Thing', fields: all[0]?.draft.fields.slice(0, 0) ?? [] },
      DRAFT_NAMES,
    );
    for (const file of target.files) files.push([`plugins/${target.name}/${file.name}`, file.text]);
    await putFiles(directory, Object.fromEntries(files));
    const daemon = await startDaemonProcess({
      dataDir: path.join(directory, 'data'),
      plugins: [path.join(directory, 'plugins')],
      flags: ['--strict'],
    });
    try {
      const { items } = (await daemon.get(MODELS)).json();
      for (const { draft, names } of all) {
        const model = items.find((one: Json) => one['plural'] === names.plural) as unknown as Json;
        const definition = writeDefinition(draft, names);
        const root = rootSchema(definition) as Json;
        const schema = model['schema'] as Json;
        expect(plain(specOf(schema), schema), names.plural).toEqual(plain(specOf(root), root));
        expect([schema['x-xsvc-console'], schema['title']]).toEqual([root['x-xsvc-console'], root['title']]);
        const indexes = (model['indexes'] as Json[]).map(
          (one) => one as unknown as { name: string; keyType: string; multi: boolean; unique: boolean },
        );
        for (const { field, type, multi = false, unique = false } of indexItems(definition))
          expect(indexes, names.plural).toContainEqual(
            expect.objectContaining({ name: field.slice(1), keyType: type, multi, unique }),
          );
        expect(indexes.some(({ keyType }) => keyType === 'text')).toBe(searchPaths(definition).length > 0);
        const [version] = (definition as unknown as { spec: { versions: Json[] } }).spec.versions;
        const columns = version?.['additionalPrinterColumns'];
        if (columns !== undefined) expect(model['columns']).toEqual(columns);
      }
    } finally {
      await daemon.stop();
    }
  });

  it('passes the checks of the compiler', () => {
    for (const { draft, names } of models(20)) {
      const code = exportPlugin(draft, names).files[1]?.text ?? '';
      const { diagnostics = [] } = ts.transpileModule(code, { reportDiagnostics: true });
      expect(
        diagnostics.map(({ messageText }) => messageText),
        code,
      ).toEqual([]);
    }
  });

  it('is an archive that tar reads', async () => {
    const directory = temporaryDirectory();
    const text = `a: "é"\n${'x'.repeat(600)}`;
    const blob = writeTar([
      { name: 'things/plugin.yaml', text },
      { name: 'things/empty', text: '' },
    ]);
    const file = path.join(directory, 'a.tar');
    writeFileSync(file, Buffer.from(await blob.arrayBuffer()));
    expect(execFileSync('tar', ['-tf', file], { encoding: 'utf8' })).toBe(
      'things/plugin.yaml\nthings/empty\n',
    );
    expect(execFileSync('tar', ['-xOf', file, 'things/plugin.yaml'], { encoding: 'utf8' })).toBe(text);
  });
});
