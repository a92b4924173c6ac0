import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/program.js';
import { testIo } from '../cli/helpers.js';
import type { CliResult } from '../helpers/cli.js';
import { PERSON_REF } from '../helpers/http.js';
import { usePersonDaemon, type Door } from '../helpers/person-daemon.js';
import { temporaryDirectory } from '../helpers/store.js';
import { person } from '../suites/cli-fixtures.js';

const { url, dataDir, others, flagsOf } = usePersonDaemon();

describe.each<Door>(['store', 'http'])('waiting, door %s', (door) => {
  const status = (name: string, phase: string): Promise<unknown> =>
    others().patch(PERSON_REF, name, { status: { phase } }, 'merge', {}, 'status');
  const FOR_READY = '--for=jsonpath={.status.phase}=Ready';

  /**
   * Waits for `ann` and for `met`, which meets the condition already, and makes the change once the command has printed
   * that: then it has read the states of both. The output is the text that it prints from there on.
   */
  async function wait(awaited: string, met: string, change: () => Promise<unknown>): Promise<CliResult> {
    const io = testIo({ cwd: dataDir() });
    const argv = ['wait', 'persons', 'ann', met, awaited, '--timeout', '15s', ...flagsOf(door)];
    const code = run(argv, io);
    const reported = `persons/${met} condition met\n`;
    await expect.poll(() => io.stdout.text, { interval: 5 }).toBe(reported);
    await change();
    return { code: await code, out: io.stdout.text.slice(reported.length), err: io.stderr.text };
  }

  beforeEach(async () => {
    await others().create(PERSON_REF, person('bob'));
    await status('bob', 'Ready');
  });

  it('ends when an object gets to the state that is awaited', async () => {
    await others().create(PERSON_REF, person('ann'));
    const ended = await wait(FOR_READY, 'bob', async () => {
      await status('ann', 'Starting');
      await status('ann', 'Ready');
    });
    expect(ended).toEqual({ code: 0, out: 'persons/ann condition met\n', err: '' });
  });

  it('ends when the last of several objects is there', async () => {
    for (const name of ['ann', 'cy']) await others().create(PERSON_REF, person(name));
    const io = testIo({ cwd: dataDir() });
    const argv = ['wait', 'persons', 'ann', 'bob', 'cy', FOR_READY, '--timeout', '15s', ...flagsOf(door)];
    const code = run(argv, io);
    let reported = '';
    for (const name of ['bob', 'cy', 'ann']) {
      if (name !== 'bob') await status(name, 'Ready');
      reported += `persons/${name} condition met\n`;
      await expect.poll(() => io.stdout.text, { interval: 5 }).toBe(reported);
    }
    expect([await code, io.stderr.text]).toEqual([0, '']);
  });

  it('ends when an object is gone, also when another one took its name', async () => {
    await others().create(PERSON_REF, person('ann', {}, { finalizers: ['example.com/hold'] }));
    const ended = await wait('--for=delete', 'nobody', async () => {
      await others().delete(PERSON_REF, 'ann');
      await others().patch(PERSON_REF, 'ann', { metadata: { finalizers: null } }, 'merge');
      await others().create(PERSON_REF, person('ann'));
    });
    expect(ended).toEqual({ code: 0, out: 'persons/ann condition met\n', err: '' });
  });

  it('ends when an object is made', async () => {
    const ended = await wait('--for=create', 'bob', () => others().create(PERSON_REF, person('ann')));
    expect(ended).toEqual({ code: 0, out: 'persons/ann condition met\n', err: '' });
  });

  it('fails when an object is deleted while something else is awaited', async () => {
    await others().create(PERSON_REF, person('ann'));
    const ended = await wait(FOR_READY, 'bob', () => others().delete(PERSON_REF, 'ann'));
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toBe('error: persons/ann was deleted during the wait\n');
  });
});

describe('an edit of an object that another user changes meanwhile', () => {
  it('shows the changes again on the newer state, and stores both', async () => {
    await others().create(PERSON_REF, person('ann', { age: 3 }));
    const seen: string[] = [];
    const edit = async (_editor: string, file: string): Promise<number> => {
      const text = readFileSync(file, 'utf8');
      seen.push(text);
      if (seen.length > 1) return 0;
      await others().patch(PERSON_REF, 'ann', { spec: { tags: ['theirs'] } }, 'merge');
      writeFileSync(file, text.replace('age: 3', 'age: 4'));
      return 0;
    };
    const io = { ...testIo({ cwd: temporaryDirectory(), env: { TMPDIR: '.', EDITOR: 'ed' } }), edit };
    expect(await run(['edit', 'persons', 'ann', '--server', url()], io)).toBe(0);
    expect(seen[0]).toMatch(/^# Edit the object below/);
    expect(seen[1]).toMatch(/^# Another user changed the object meanwhile/m);
    expect(seen[1]).toMatch(/age: 4/);
    const { spec } = await others().get(PERSON_REF, 'ann');
    expect(spec).toEqual({ name: 'ANN', age: 4, tags: ['theirs'] });
  });

  it('keeps the text when the object is deleted meanwhile', async () => {
    await others().create(PERSON_REF, person('ann', { age: 3 }));
    const edit = async (_editor: string, file: string): Promise<number> => {
      await others().delete(PERSON_REF, 'ann');
      writeFileSync(file, readFileSync(file, 'utf8').replace('age: 3', 'age: 4'));
      return 0;
    };
    const io = { ...testIo({ cwd: temporaryDirectory(), env: { TMPDIR: '.', EDITOR: 'ed' } }), edit };
    expect(await run(['edit', 'persons', 'ann', '--server', url()], io)).toBe(3);
    const kept = /your text is kept in (\S+)/.exec(io.stderr.text)?.[1] ?? '';
    expect(existsSync(kept)).toBe(true);
    expect(readFileSync(kept, 'utf8')).toContain('age: 4');
  });
});
