import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killDaemons, runProgram, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { define, DEFINITIONS, gadget, gadgets, gadgetsIn } from '../helpers/definitions.js';
import { waitFor } from '../helpers/kubernetes.js';
import { leaderOf } from '../helpers/mailer.js';
import { temporaryDirectory } from '../helpers/store.js';

const NAME = `${DEFINITIONS}/gadgets.shop.example.com`;
const ALL = '/apis/shop.example.com/v1/gadgets';
const OBJECTS = 1_000;
/** A killed leader is noticed soon. */
const LEASE = ['--lease-duration', '3s'];

interface Daemons {
  readonly leader: DaemonProcess;
  readonly other: DaemonProcess;
}

/** Kinds and namespaces that daemons of a shared store have in common. */
export function sharedDefinitionsSuite(name: string, newStore: () => string): void {
  const startOn = (store: string): Promise<DaemonProcess> =>
    startDaemonProcess({
      dataDir: temporaryDirectory(),
      plugins: [temporaryDirectory()],
      flags: ['--store', store, ...LEASE],
    });

  async function startTwo(): Promise<Daemons> {
    const store = newStore();
    const [leader, other] = [await startOn(store), await startOn(store)];
    await waitFor(
      () => leaderOf(leader),
      ({ isSelf }) => isSelf,
    );
    return { leader, other };
  }

  describe(`definitions in ${name}`, () => {
    let daemons: Daemons;
    beforeAll(async () => {
      daemons = await startTwo();
    });
    afterAll(killDaemons);

    it('and their objects are served by both daemons at once', async () => {
      const { leader, other } = daemons;
      for (const i of [0, 1, 2]) {
        const [writer, reader] = i === 1 ? [other, leader] : [leader, other];
        const group = `shop${i}.example.com`;
        const collection = gadgetsIn('default').replace('shop', `shop${i}`);
        const body = { ...gadget('one'), apiVersion: `${group}/v1` };
        const definition = gadgets((spec) => {
          spec.group = group;
        });
        expect((await define(writer, definition)).status).toBe(201);
        expect((await reader.send('POST', collection, { body })).status).toBe(201);
        expect((await writer.get(`${collection}/one`)).json().spec).toEqual({ size: 1 });
        expect((await reader.send('DELETE', `${DEFINITIONS}/gadgets.${group}`)).status).toBe(200);
        await waitFor(
          () => writer.get(`${DEFINITIONS}/gadgets.${group}`),
          ({ status }) => status === 404,
        );
        for (const one of [writer, reader]) expect((await one.get(collection)).status).toBe(404);
      }
    });

    it('have each new field and index at the other daemon before its next answer', async () => {
      const { leader, other } = daemons;
      await define(leader, gadgets());
      for (let round = 0; round < 6; round += 1) {
        const [writer, reader] = round % 2 === 0 ? [leader, other] : [other, leader];
        const field = `field${round}`;
        const indexes = JSON.stringify([{ field: `.spec.${field}`, type: 'string' }]);
        const body = gadgets(
          ({ versions: [version] }) => {
            if (version === undefined) return;
            version.schema.openAPIV3Schema.properties.spec = {
              type: 'object',
              properties: { [field]: { type: 'string' } },
            };
          },
          { 'xsvc.platform.run/indexes': indexes },
        );
        expect((await writer.send('PUT', NAME, { body })).status).toBe(200);
        const object = gadget(`g${round}`, { [field]: 'x' });
        const made = await reader.send('POST', gadgetsIn('default'), { body: object });
        expect([round, made.status, made.json().spec]).toEqual([round, 201, { [field]: 'x' }]);
        const found = await writer.get(`${ALL}?fieldSelector=spec.${field}%3Dx`);
        expect([round, found.status, found.json().total]).toEqual([round, 200, 1]);
      }
    });

    it('are applied by the command line through a daemon, and not without one', async () => {
      const { other } = daemons;
      const file = path.join(temporaryDirectory(), 'files.json');
      const items = [gadgets(), gadget('applied', {}, { namespace: 'default' })];
      writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
      const applied = await runProgram(['apply', '-f', file, '--server', other.url]);
      expect(applied).toMatchObject({ code: 0 });
      expect((await other.get(`${gadgetsIn('default')}/applied`)).status).toBe(200);
      const wrapper = ['env', `XSVC_STORE=${newStore()}`, `XSVC_DATA_DIR=${temporaryDirectory()}`];
      const refused = await runProgram(['apply', '-f', file], { wrapper });
      expect(refused.stderr).toContain('--server');
      expect(refused.code).toBe(2);
    });

    it('end with their objects, and namespaces with theirs, when another daemon must finish', async () => {
      const { leader, other } = daemons;
      await leader.send('POST', '/api/v1/namespaces', { body: { metadata: { name: 'big' } } });
      const collections = [gadgetsIn('default'), '/api/v1/namespaces/big/configmaps'];
      await fill(leader, collections);
      const [answer] = await Promise.all([
        leader.send('DELETE', NAME),
        leader.send('DELETE', '/api/v1/namespaces/big'),
      ]);
      expect(answer.status).toBe(200);
      await waitFor(
        () => countIn(other, collections),
        (counts) => counts.some((count) => count < OBJECTS),
      );
      leader.signal('SIGKILL');
      await leader.exited;
      const late = await other.send('POST', gadgetsIn('default'), { body: gadget('late') });
      expect([403, 404]).toContain(late.status);
      for (const path of [NAME, '/api/v1/namespaces/big'])
        await waitFor(
          () => other.get(path),
          ({ status }) => status === 404,
        );
      expect((await other.get(ALL)).status).toBe(404);
      // Nothing of the old objects is left in a kind and a namespace of the same names.
      await define(other, gadgets());
      await other.send('POST', '/api/v1/namespaces', { body: { metadata: { name: 'big' } } });
      expect(await countIn(other, collections)).toEqual([0, 0]);
      expect(await runProgram(['check', '--server', other.url])).toMatchObject({ code: 0 });
    });
  });
}

async function fill(daemon: DaemonProcess, collections: readonly string[]): Promise<void> {
  for (const collection of collections) {
    const make = async (name: string): Promise<void> => {
      const body = collection.endsWith('gadgets') ? gadget(name) : { metadata: { name } };
      expect((await daemon.send('POST', collection, { body })).status).toBe(201);
    };
    for (let at = 0; at < OBJECTS; at += 100)
      await Promise.all(Array.from({ length: 100 }, (_, i) => make(`a${at + i}`)));
  }
}

async function countIn(daemon: DaemonProcess, collections: readonly string[]): Promise<number[]> {
  const answers = await Promise.all(collections.map((one) => daemon.get(`${one}?limit=1`)));
  return answers.map((answer) => (answer.status === 200 ? (answer.json().total as number) : 0));
}
