import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  AbstractExtension,
  BasePlugin,
  GVK,
  IndexSpecs,
  Schema,
  type Controller,
  type ControllerBuilder,
  type Reconciler,
} from '../../src/index.js';
import { startTestService, type TestService } from '../../src/testing/index.js';
import { removeDirectories } from '../helpers/store.js';
import { commandFacts } from './public-surface/commands.js';
import { errorFacts } from './public-surface/errors.js';
import { exportFacts } from './public-surface/exports.js';
import { httpFacts } from './public-surface/http.js';
import { metricFacts } from './public-surface/metrics.js';
import { settingFacts } from './public-surface/settings.js';

const NOTES = '/apis/example.com/v1/notes';
const WEBHOOKS = '/apis/delivery.platform.run/v1alpha1/webhooks';

class NoteSpec {
  @Schema({ type: 'string' })
  title?: string;
}

@GVK({ group: 'example.com', version: 'v1', kind: 'Note', plural: 'notes', singular: 'note' })
class Note extends AbstractExtension {
  @Schema({ type: NoteSpec })
  spec?: NoteSpec;
}

class NotePlugin extends BasePlugin {
  override start(): void {
    this.ctx.schemeManager.register(Note, (specs) => {
      specs.add(
        IndexSpecs.single<Note, string>('spec.title', 'string').indexFunc((note) => note.spec?.title),
      );
    });
  }
}

class NoteReconciler implements Reconciler {
  setupWith(builder: ControllerBuilder): Controller {
    return builder.extension(Note).build();
  }
  reconcile(): void {
    // There is nothing to do.
  }
}

let service: TestService;

beforeAll(async () => {
  const plugin = { default: NotePlugin, NoteReconciler };
  service = await startTestService({ plugins: [plugin] });
  // Its address is refused, which counts as an attempt.
  const spec = { url: 'http://127.0.0.1:1/', models: [{ group: 'example.com', kind: 'Note' }] };
  await service.fetch(WEBHOOKS, { method: 'POST', json: { metadata: { name: 'a' }, spec } });
  await service.fetch(NOTES, { method: 'POST', json: { metadata: { name: 'a' }, spec: { title: 'A' } } });
  await service.fetch(NOTES);
  await service.controllersSettled();
  await vi.waitFor(
    async () =>
      expect(await (await service.fetch('/metrics')).text()).toContain('xsvc_webhook_attempts_total{'),
    10_000,
  );
});

afterAll(async () => {
  await service.close();
  removeDirectories();
});

/** The facts that people, scripts and plugins rely on, one a line, without names that only the source has. */
const FILES: readonly (readonly [
  file: string,
  facts: () => readonly string[] | Promise<readonly string[]>,
])[] = [
  ['exports.txt', exportFacts],
  ['http.txt', () => httpFacts(service)],
  ['commands.txt', commandFacts],
  ['metrics.txt', () => metricFacts(service)],
  ['settings.txt', settingFacts],
  ['errors.txt', errorFacts],
];

/** The lines in which two texts differ, in whatever order they are. */
function differences(before: string, now: string): string[] {
  const [had, has] = [before, now].map((text) => new Set(text.split('\n')));
  return [
    ...[...(had ?? [])].filter((line) => has?.has(line) !== true).map((line) => `gone: ${line}`),
    ...[...(has ?? [])].filter((line) => had?.has(line) !== true).map((line) => `new: ${line}`),
  ];
}

describe('the public surface', () => {
  it.each(FILES)('is what public-surface/%s says', async (name, facts) => {
    const text = [...new Set(await facts())].sort().join('\n');
    const file = new URL(`public-surface/${name}`, import.meta.url);
    if (process.env.RECORD === '1') writeFileSync(file, `${text}\n`);
    const recorded = existsSync(file) ? readFileSync(file, 'utf8').trimEnd() : '';
    expect(differences(recorded, text), 'npm run surface writes it again').toEqual([]);
  });

  it('would be found out if it were another one', () => {
    expect(differences('a\nb', 'b\na')).toEqual([]);
    expect(differences('a\nb', 'a\nc')).toEqual(['gone: b', 'new: c']);
  });
});
