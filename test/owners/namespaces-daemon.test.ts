import { afterAll, afterEach, expect, it } from 'vitest';
import { ownerReference, type Owner } from '../../src/model/owner-references.js';
import { killDaemons, runProgram, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { define, gadget, gadgets, gadgetsIn } from '../helpers/definitions.js';
import type { Json } from '../helpers/http.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const PLANS = '/apis/shop.example.com/v1/plans';
const NAMESPACES = ['one', 'two'];
const DEPENDENTS = 600;
/** Most dependents that are removed before a kill, and some more. */
const STEP_MAX = 150;

let daemon: DaemonProcess;
afterEach(killDaemons);
afterAll(removeDirectories);

const mapsIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

async function start(dataDir: string): Promise<void> {
  daemon = await startDaemonProcess({ dataDir, plugins: [temporaryDirectory()] });
}

/** A daemon with gadgets in namespaces, and plans in none. */
async function open(): Promise<string> {
  const dataDir = temporaryDirectory();
  await start(dataDir);
  const reference = { group: 'shop.example.com', kind: 'Gadget' };
  await define(
    daemon,
    gadgets(({ versions: [version] }) => {
      const next = { type: 'string', 'x-xsvc-reference': reference };
      if (version === undefined) return;
      version.schema.openAPIV3Schema.properties.spec = { type: 'object', properties: { next } };
    }),
  );
  await define(
    daemon,
    gadgets((spec) => {
      spec.scope = 'Cluster';
      spec.names = { plural: 'plans', kind: 'Plan' };
    }),
  );
  for (const name of NAMESPACES) await post('/api/v1/namespaces', { metadata: { name } });
  return dataDir;
}

async function post(target: string, body: object): Promise<Json> {
  const answer = await daemon.send('POST', target, { body });
  expect([target, answer.status]).toEqual([target, 201]);
  return answer.json();
}

const ownedBy = (owner: Json): object => ({ ownerReferences: [ownerReference(owner as unknown as Owner)] });
const plan = (name: string, metadata: object = {}): object => ({
  ...gadget(name, {}, metadata),
  kind: 'Plan',
});

async function xsvc(...args: readonly string[]): Promise<string> {
  const { stdout } = await runProgram([...args, '--server', daemon.url]);
  return stdout;
}

async function countAt(target: string): Promise<number> {
  return (await daemon.get(target)).json().items.length;
}

it('objects of one namespace are removed with their owner, however often the daemon is killed meanwhile', async () => {
  const random = new Random(seedOfRun());
  console.log(`SEED=${random.seed}`);
  const dataDir = await open();
  for (const namespace of NAMESPACES) {
    const owner = await post(gadgetsIn(namespace), gadget('main'));
    for (let i = 0; i < DEPENDENTS; i += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, k) =>
          post(mapsIn(namespace), { metadata: { name: `part-${i + k}`, ...ownedBy(owner) } }),
        ),
      );
  }
  await daemon.send('DELETE', `${gadgetsIn('one')}/main`, { body: { propagationPolicy: 'Foreground' } });
  // Each kill is in the middle of the work.
  for (let left = DEPENDENTS; left > 0;) {
    const below = left - random.below(STEP_MAX);
    while (left >= below && left > 0) left = await countAt(mapsIn('one'));
    daemon.signal('SIGKILL');
    await daemon.exited;
    await start(dataDir);
  }
  await expect.poll(() => countAt(gadgetsIn('one')), { timeout: 10_000 }).toBe(0);
  expect([await countAt(mapsIn('two')), await countAt(gadgetsIn('two'))]).toEqual([DEPENDENTS, 1]);
}, 120_000);

it('describe shows owned and referring objects with their namespace only where it is another one', async () => {
  await open();
  const target = await post(gadgetsIn('one'), gadget('target'));
  await post(gadgetsIn('one'), gadget('refers', { next: 'target' }));
  await post(mapsIn('one'), { metadata: { name: 'owned', ...ownedBy(target) } });
  const inNamespace = await xsvc('describe', 'gadgets', 'target', '-n', 'one');
  expect(inNamespace).toContain('1 gadgets.shop.example.com by spec.next (restrict): refers\n');
  expect(inNamespace).toContain('Dependents:\n  configmaps/owned\n');
  const whole = await post(PLANS, plan('whole'));
  for (const namespace of NAMESPACES)
    await post(mapsIn(namespace), { metadata: { name: 'part', ...ownedBy(whole) } });
  expect(await xsvc('describe', 'plans', 'whole')).toContain(
    'Dependents:\n  configmaps/one/part\n  configmaps/two/part\n',
  );
  expect(await xsvc('describe', 'configmaps', 'part', '-n', 'two')).toContain('Owners:\n  plans/whole\n');
  await post(PLANS, plan('unresolvable', ownedBy(target)));
  await expect
    .poll(() => xsvc('describe', 'plans', 'unresolvable'), { timeout: 20_000 })
    .toContain('OwnerRefInvalidNamespace');
}, 60_000);
