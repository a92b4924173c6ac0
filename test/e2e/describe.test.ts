import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { runCli } from '../helpers/cli.js';
import { killDaemons, startDaemonProcess } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const MANIFEST = `apiVersion: plugin.platform.run/v1alpha1
kind: Plugin
metadata: {name: mail}
spec: {version: 1.0.0}
`;
/** Says that it greeted; cannot reconcile who is called bert. */
const CODE = `
import { AbstractExtension, BasePlugin, GVK } from 'xsvc';

class Person extends AbstractExtension {}
GVK({ group: 'demo.example.com', version: 'v1', kind: 'Person', plural: 'persons', singular: 'person' })(Person);

let context;
export default class MailPlugin extends BasePlugin {
  start() {
    context = this.ctx;
    this.ctx.schemeManager.register(Person);
  }
}

export class Greeter {
  async reconcile({ name }) {
    const person = await context.client.get(Person, name);
    if (name === 'bert') throw new Error('bert is not at home');
    context.events.record(person, 'Normal', 'Greeted', 'said hello to \\x1b[31m' + name);
  }
  setupWith(builder) {
    return builder.extension(Person).build();
  }
}
`;

function writePlugin(): string {
  const directory = path.join(temporaryDirectory(), 'mail');
  mkdirSync(directory);
  writeFileSync(path.join(directory, 'plugin.yaml'), MANIFEST);
  writeFileSync(path.join(directory, 'index.js'), CODE);
  return directory;
}

const PERSONS = '/apis/demo.example.com/v1/persons';
const EVENTS = '/apis/events.platform.run/v1alpha1/events';

it.each([
  ['with the kinds of Kubernetes', 'on'],
  ['without them', 'off'],
])(
  'describe shows an object with its events, those of a failing controller too, %s',
  async (_, kubernetes) => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    const plugin = writePlugin();
    const daemon = await startDaemonProcess({
      dataDir,
      plugins: [plugin],
      flags: ['--kubernetes', kubernetes],
    });
    const metadata = { name: 'ada', labels: { 'demo.example.com/team': 'red' }, finalizers: ['a/b'] };
    await daemon.send('POST', PERSONS, { body: { metadata, spec: { age: 36, note: 'two\nlines' } } });
    await daemon.send('POST', PERSONS, { body: { metadata: { name: 'bert' } } });
    const countOf = async (selector: string): Promise<number> => {
      const { items } = (await daemon.get(`${EVENTS}?fieldSelector=${selector}`)).json();
      return Number(items[0]?.count ?? 0);
    };
    await expect.poll(() => countOf('reason=Greeted')).toBeGreaterThan(0);
    await expect.poll(() => countOf('involvedObject.name=bert')).toBeGreaterThan(1);

    const flags = { cwd: '/' };
    const ada = await runCli(['describe', 'person', 'ada', '--server', daemon.url], flags);
    expect(ada).toMatchObject({ code: 0, err: '' });
    expect(ada.out.replace(/\d{4}-[-0-9T:.]+Z|[0-9a-f-]{36}|\b\d+s\b|(?<=Greeted +)\d+/g, '#')).toBe(
      `Name:         ada
Kind:         Person (demo.example.com/v1)
Labels:       demo.example.com/team=red
Annotations:  <none>
Created:      # (# ago)
Updated:      # (# ago)
Version:      0, generation 1
UID:          #
Finalizers:   a/b
spec:
  age: 36
  note: |-
    two
    lines
Controllers: no pending work for it
Events:
  AGE   TYPE     REASON    COUNT   MESSAGE
  #    Normal   Greeted   #       said hello to \\u001b[31mada
`,
    );

    const both = await runCli(['describe', 'persons/bert', 'persons/zoe', '--server', daemon.url], flags);
    expect(both.code).toBe(3);
    expect(both.err).toMatch('persons.demo.example.com "zoe" not found');
    expect(both.out).toMatch(/^Controllers:\n {2}mail-\S+: .*\n {4}last error: bert is not at home$/m);
    expect(both.out).toMatch(
      /Warning +ReconcileFailed +\d+ +Controller "mail-\S+" could not reconcile it: bert/,
    );
    const selector = ['--field-selector', 'involvedObject.name=ada'];
    const events = await runCli(['get', 'events', ...selector, '--server', daemon.url, '-o', 'json'], flags);
    const { items } = JSON.parse(events.out) as { readonly items: readonly object[] };
    expect(items).toMatchObject([
      {
        apiVersion: kubernetes === 'on' ? 'v1' : 'events.platform.run/v1alpha1',
        metadata: kubernetes === 'on' ? { namespace: 'default' } : {},
        involvedObject: { kind: 'Person', name: 'ada' },
        reason: 'Greeted',
      },
    ]);
    await daemon.stop();

    const onStore = await runCli(['describe', 'persons', 'bert', '--data-dir', dataDir], flags);
    expect(onStore.code).toBe(0);
    const listed = await runCli(['get', 'events', '--data-dir', dataDir, ...selector], flags);
    expect(listed.out).toMatch(/Greeted/);
    expect(onStore.out).toMatch('Controllers: only known to a daemon; use --server');
    expect(onStore.out).toMatch('ReconcileFailed');
  },
);

it('describe wants names', async () => {
  const dataDir = path.join(temporaryDirectory(), 'data');
  const plugin = writePlugin();
  await runCli(['apply', '-f', '-', '--plugins', plugin, '--data-dir', dataDir], {
    cwd: '/',
    stdin: '{"apiVersion":"demo.example.com/v1","kind":"Person","metadata":{"name":"ada"}}',
  });
  const answer = await runCli(['describe', 'persons', '--data-dir', dataDir], { cwd: '/' });
  expect(answer).toMatchObject({ code: 2, out: '' });
  expect(answer.err).toMatch('describe needs names of objects');
  const ada = await runCli(['describe', 'person', 'ada', '--data-dir', dataDir], { cwd: '/' });
  expect(ada.out).toMatch('Events: <none>');
  expect(ada.out).toMatch('Annotations:  <none>');
});
