import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../src/testing/index.js';
import { manifestText, temporaryDirectory, writeFiles } from './helpers.js';

/** How a version of the plugin differs from a good one. */
interface PluginText {
  readonly petals?: object;
  readonly rules?: readonly object[];
  readonly index?: string;
  readonly declared?: string;
  /** True when the schema requires a spec. */
  readonly isRequired?: boolean;
}

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

const FLOWER = {
  group: 'garden.example.com',
  version: 'v1',
  kind: 'Flower',
  plural: 'flowers',
  singular: 'flower',
};
const FLOWERS = '/apis/garden.example.com/v1/flowers';

function write(directory: string, given: PluginText): Promise<void> {
  const { petals, rules = [], index = '', declared, isRequired = false } = given;
  const spec = {
    type: 'object',
    properties: { petals: petals ?? { type: 'integer' } },
    'x-kubernetes-validations': rules,
  };
  const required = isRequired ? { required: ['spec'] } : {};
  const schema = JSON.stringify({ type: 'object', properties: { spec }, ...required });
  return writeFiles(directory, {
    'plugin.yaml': manifestText('garden'),
    'extensions/rose.yaml':
      declared ??
      'apiVersion: garden.example.com/v1\nkind: Flower\nmetadata: { name: rose }\nspec: { petals: 5 }\n',
    'index.js': `import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';
class Flower extends AbstractExtension { static schema = ${schema}; }
GVK(${JSON.stringify(FLOWER)})(Flower);
export default class Garden extends BasePlugin {
  start() {
    this.ctx.schemeManager.register(Flower, (specs) => { ${index} });
  }
}
`,
  });
}

interface Garden {
  readonly directory: string;
  readonly service: TestService;
  readonly errors: string[];
}

/** A running daemon that watches the plugin. */
async function startGarden(given: PluginText = {}): Promise<Garden> {
  const directory = path.join(await temporaryDirectory(), 'garden');
  await write(directory, given);
  const errors: string[] = [];
  const ignore = (): void => undefined;
  const logger = {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (text: string) => void errors.push(text),
  };
  const service = await startTestService({ plugins: [directory], settings: { watch: true }, logger });
  closings.push(() => service.close());
  return { directory, service, errors };
}

async function json(service: TestService, target: string): Promise<unknown> {
  return (await service.fetch(target)).json();
}

async function stateOf(service: TestService): Promise<string> {
  const plugin = await json(service, '/apis/plugin.platform.run/v1alpha1/plugins/garden');
  const { status } = plugin as { status: { phase: string; message?: string } };
  return `${status.phase} ${status.message ?? ''}`.trim();
}

/** The answer of a dry run of a create. */
async function tried(service: TestService, spec: object): Promise<number> {
  const body = { metadata: { name: 'tried' }, spec };
  return (await service.fetch(`${FLOWERS}?dryRun=All`, { method: 'POST', json: body })).status;
}

const FEW = { rule: 'self.petals < 9', message: 'has too many petals' };

const BROKEN: readonly (readonly [PluginText, RegExp])[] = [
  [{ rules: [{ rule: 'self.petal < 9' }] }, /Flower.*self\.petal < 9/],
  [{ petals: { type: 'integers' } }, /spec\.petals: unknown type "integers"/],
  [{ index: "specs.add(IndexSpecs.single('spec.petals', 'date'));" }, /unknown key type date/],
  [{ declared: 'kind: Flower\n' }, /rose\.yaml:1: apiVersion is required/],
];

describe('a plugin that is reloaded', () => {
  it('goes on as before while its files are invalid, says where and why, and takes the next valid ones', async () => {
    const { directory, service, errors } = await startGarden({ rules: [FEW] });
    for (const [broken, why] of BROKEN) {
      await write(directory, broken);
      await expect.poll(() => stateOf(service)).toMatch(why);
      expect(await stateOf(service)).toMatch(
        /^STARTED cannot start the changed files, the previous version keeps running: /,
      );
      expect([await tried(service, { petals: 8 }), await tried(service, { petals: 9 })]).toEqual([201, 422]);
      expect(await json(service, `${FLOWERS}/rose`)).toMatchObject({ spec: { petals: 5 } });
      expect(errors.at(-1)).toMatch(why);
      const place = broken.declared === undefined ? path.join(directory, 'index.js') : directory;
      expect(errors.at(-1)).toContain(`(from ${place}`);
    }
    expect(errors).toHaveLength(BROKEN.length);
    await write(directory, { rules: [{ ...FEW, rule: 'self.petals < 10' }] });
    await expect.poll(() => stateOf(service)).toBe('STARTED');
    expect([await tried(service, { petals: 9 }), await tried(service, { petals: 10 })]).toEqual([201, 422]);
  });
});

describe('a declared object without a spec', () => {
  const BARE = 'apiVersion: garden.example.com/v1\nkind: Flower\nmetadata: { name: bare }\n';

  it('is created when the model does not require one', async () => {
    const { service } = await startGarden({ declared: BARE });
    expect(await json(service, `${FLOWERS}/bare`)).not.toHaveProperty('spec');
  });

  it('keeps the plugin from starting when the model requires one', async () => {
    await expect(startGarden({ declared: BARE, isRequired: true })).rejects.toThrow(/rose\.yaml:1.*spec/);
  });
});
