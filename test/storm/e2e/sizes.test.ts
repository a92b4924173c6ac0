import { statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { AbstractExtension, GVK, IndexSpecs } from '../../../src/index.js';
import { startTestService } from '../../../src/testing/index.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterAll(removeDirectories);

@GVK({ group: 'size.example.com', version: 'v1', kind: 'Thing', plural: 'things', singular: 'thing' })
class Thing extends AbstractExtension {
  static schema = { type: 'object' };
  declare spec: { readonly values: readonly string[]; readonly text: string };
}

const OBJECTS = 5_000;
const KIB = 1024;

/** Bytes of the file, and of the objects' JSON, for each object. */
async function measure(indexes: number, textBytes: number): Promise<{ stored: number; json: number }> {
  const dataDir = temporaryDirectory();
  const service = await startTestService({
    dataDir,
    models: [
      [
        Thing,
        (specs) => {
          for (let i = 0; i < indexes; i += 1)
            specs.add(
              IndexSpecs.single<Thing, string>(`spec.values.${i}`, 'string').indexFunc(
                (o) => o.spec.values[i],
              ),
            );
        },
      ],
    ],
  });
  let json = 0;
  for (let from = 0; from < OBJECTS; from += 1_000) {
    const items = Array.from({ length: 1_000 }, (_, i) => {
      const values = Array.from({ length: 5 }, (_value, k) => `value-${((from + i) * 7 + k) % 10_007}`);
      const spec = { values, text: 'x'.repeat(textBytes) };
      const kind = { apiVersion: 'size.example.com/v1', kind: 'Thing' };
      return { verb: 'create', object: { ...kind, metadata: { name: `thing-${from + i}` }, spec } } as const;
    });
    for (const object of await service.client.batch(items)) json += JSON.stringify(object).length;
  }
  await service.close();
  return { stored: statSync(path.join(dataDir, 'data.mdb')).size / OBJECTS, json: json / OBJECTS };
}

it.each([
  [0, 200],
  [5, 200],
  [0, 2_000],
  [5, 2_000],
])('A store takes what the formula of the documents says: %i indexes, %i bytes', async (indexes, bytes) => {
  const { stored, json } = await measure(indexes, bytes);
  const formula = 1.7 * json + 0.14 * KIB * indexes;
  expect(stored).toBeLessThan(1.25 * formula);
  expect(stored).toBeGreaterThan(0.8 * formula);
});
