import { afterEach, describe, expect, it } from 'vitest';
import { BasePlugin, Min, Schema } from '../../src/index.js';
import { startTestService, type TestService } from '../../src/testing/index.js';

class Retry {
  @Schema({ type: 'integer', minimum: 1, requiredMode: 'REQUIRED' }) times!: number;
  @Min(10) @Schema({ type: 'integer', default: 100 }) delayMs!: number;
}

class PagerConfig {
  @Schema({ type: 'string', requiredMode: 'REQUIRED', minLength: 1 }) url!: string;
  @Schema({ type: 'string', enum: ['low', 'high'], default: 'low' }) urgency!: string;
  @Schema({ type: Retry }) retry?: Retry;

  get host(): string {
    return new URL(this.url).host;
  }
}

/** The configurations that a plugin saw when it started. */
let seen: PagerConfig[];

class PagerPlugin extends BasePlugin<PagerConfig> {
  static config = PagerConfig;

  override start(): void {
    seen.push(this.ctx.config);
  }
}

const warnings: string[] = [];
const nothing = (): void => undefined;
const logger = {
  debug: nothing,
  info: nothing,
  warn: (text: string) => void warnings.push(text),
  error: nothing,
};
let service: TestService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function start(config: unknown): Promise<void> {
  seen = [];
  warnings.length = 0;
  const settings = config === undefined ? {} : { pluginConfig: { pager: config } };
  service = await startTestService({ plugins: [PagerPlugin], settings, logger });
}

describe('the configuration of a plugin whose main class names its class', () => {
  it('is an instance of the class, with the defaults of its schema', async () => {
    await start({ url: 'http://pager.example.com/x', retry: { times: 3 } });
    const [config] = seen;
    expect(config).toBeInstanceOf(PagerConfig);
    expect(config?.host).toBe('pager.example.com');
    expect(config?.retry).toBeInstanceOf(Retry);
    expect(JSON.parse(JSON.stringify(config))).toEqual({
      url: 'http://pager.example.com/x',
      urgency: 'low',
      retry: { times: 3, delayMs: 100 },
    });
    expect(warnings).toEqual([]);
  });

  it('fails the plugin before its start with every fault and its path', async () => {
    const config = { urgency: 'middle', retry: { times: 0, delayMs: 1 } };
    const failure: unknown = await start(config).catch((error: unknown) => error);
    const { message } = failure as Error;
    for (const text of [
      'plugin "pager": ',
      'pluginConfig.pager.url: ',
      'pluginConfig.pager.urgency: ',
      'pluginConfig.pager.retry.times: ',
      'pluginConfig.pager.retry.delayMs: ',
    ])
      expect(message).toContain(text);
    expect(seen).toEqual([]);
  });

  it.each([
    [undefined, 'pluginConfig.pager.url: '],
    [null, 'pluginConfig.pager.url: '],
    ['text', 'pluginConfig.pager: '],
    [['a'], 'pluginConfig.pager: '],
  ])('is refused as %j', async (config, text) => {
    await expect(start(config)).rejects.toThrow(text);
  });

  it('warns about members that the class does not declare', async () => {
    await start({ url: 'http://a.example.com', urgancy: 'high' });
    expect(warnings).toEqual([
      'pluginConfig.pager.urgancy is not a declared member, did you mean "urgency"?',
    ]);
  });

  it('must be a class with fields', async () => {
    class WrongPager extends BasePlugin {
      static config = { url: 'string' };
    }
    Object.defineProperty(WrongPager, 'name', { value: 'PagerPlugin' });
    await expect(startTestService({ plugins: [WrongPager], logger })).rejects.toThrow(
      'static config of the main class must be a class with @Schema fields',
    );
  });

  it('stays as the operator wrote it without a class', async () => {
    let given: unknown;
    class PlainPlugin extends BasePlugin {
      override start(): void {
        given = this.ctx.config;
      }
    }
    service = await startTestService({
      plugins: [PlainPlugin],
      settings: { pluginConfig: { plain: { any: [1] } } },
      logger,
    });
    expect(given).toEqual({ any: [1] });
  });
});
