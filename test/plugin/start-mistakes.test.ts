import { expect, it } from 'vitest';
import { AbstractExtension, BasePlugin, GVK, IndexAttributeFactory, IndexSpec } from '../../src/index.js';
import { startTestService } from '../../src/testing/index.js';
import { SILENT, type Logger } from '../../src/lib/log/logger.js';

@GVK({ group: 'odd.example.com', version: 'v1', kind: 'Item', plural: 'items', singular: 'item' })
class Item extends AbstractExtension {}

@GVK({ group: 'odd.example.com', version: 'v1', kind: 'Other', plural: 'others', singular: 'other' })
class Other extends AbstractExtension {}

/** A logger that keeps the lines of its level. */
function keeping(level: 'warn' | 'error'): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  return { logger: { ...SILENT, [level]: (message: string) => void lines.push(message) }, lines };
}

it.each([
  ['reads', (client: BasePlugin['ctx']['client']) => client.list(Item)],
  ['writes', (client: BasePlugin['ctx']['client']) => client.create(Item, { metadata: { name: 'first' } })],
  ['watches', (client: BasePlugin['ctx']['client']) => client.watch(Item)[Symbol.asyncIterator]().next()],
])('a plugin that %s its own model in start() learns when it can', async (_what, use) => {
  class Early extends BasePlugin {
    override async start(): Promise<void> {
      this.ctx.schemeManager.register(Item);
      await use(this.ctx.client);
    }
  }
  await expect(startTestService({ plugins: [Early], logger: SILENT })).rejects.toThrow(
    /the model Item is served after start\(\) of its plugin has ended; declare first objects in extensions\/, and/,
  );
});

it('deprecated forms of indexes are one line of the log for a plugin', async () => {
  class Old extends BasePlugin {
    override start(): void {
      /* eslint-disable @typescript-eslint/no-deprecated */
      const name = IndexAttributeFactory.simpleAttribute(AbstractExtension, ({ metadata }) => metadata.name);
      for (const model of [Item, Other])
        this.ctx.schemeManager.register(model, (specs) => {
          specs.add(new IndexSpec({ name: 'spec.a', indexFunc: name }));
          specs.add(new IndexSpec().setName('spec.b').setUnique(true).setIndexFunc(name));
        });
      /* eslint-enable @typescript-eslint/no-deprecated */
    }
  }
  const { logger, lines } = keeping('warn');
  const service = await startTestService({ plugins: [Old], logger });
  await service.client.create(Item, { metadata: { name: 'a' } });
  expect(await service.client.count(Item, { fieldSelector: 'spec.b=a' })).toBe(1);
  await service.close();
  expect(lines).toEqual([
    'model Item: IndexSpec and IndexAttributeFactory are deprecated; use IndexSpecs.single and IndexSpecs.multi',
  ]);
});
