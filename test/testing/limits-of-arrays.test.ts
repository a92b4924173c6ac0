import { expect, it } from 'vitest';
import { AbstractExtension, GVK, Schema } from '../../src/index.js';
import { startTestService } from '../../src/testing/index.js';

class Spec {
  @Schema({ title: 'Tags', items: { type: 'string' }, minItems: 1, maxItems: 2, uniqueItems: true })
  tags?: string[];
}

@GVK({ group: 'test.example.com', version: 'v1', kind: 'Box', plural: 'boxes', singular: 'box' })
class Box extends AbstractExtension {
  @Schema({ type: Spec, requiredMode: 'REQUIRED' }) spec!: Spec;
}

class Impossible extends Box {
  @Schema({ minItems: 3, maxItems: 2 }) tags?: string[];
}

const BOXES = '/apis/test.example.com/v1/boxes';

it('limits of arrays in @Schema are checked in every write, and described', async () => {
  await using service = await startTestService({ models: [Box] });
  const refused = async (tags: unknown): Promise<unknown> => {
    const json = { metadata: { generateName: 'b-' }, spec: { tags } };
    const answer = await service.fetch(BOXES, { method: 'POST', json });
    const { details } = (await answer.json()) as { details?: { causes: { message: string }[] } };
    return [answer.status, details?.causes.map(({ message }) => message)];
  };
  expect(await refused([])).toEqual([422, ['must have at least 1 item, got 0']]);
  expect(await refused(['a', 'b', 'c'])).toEqual([422, ['must have at most 2 items, got 3']]);
  expect(await refused(['a', 'a'])).toEqual([
    422,
    ['must not contain a value twice: items 0 and 1 are equal'],
  ]);
  expect(await refused(['a', 'b'])).toEqual([201, undefined]);
  const document = await (await service.fetch('/openapi/v3/apis/test.example.com/v1')).text();
  expect(document).toContain('"title":"Tags"');
  expect(document).toContain('"uniqueItems":true');
});

it('limits of arrays that cannot be met fail the start, with the class and the field', async () => {
  GVK({ group: 'test.example.com', version: 'v1', kind: 'No', plural: 'nos', singular: 'no' })(Impossible);
  await expect(startTestService({ models: [Impossible] })).rejects.toThrow(
    'class Impossible is invalid: tags: minItems 3 is greater than maxItems 2',
  );
});
