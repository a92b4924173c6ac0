import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Admission } from '../../../src/http/admission/admission.js';

const response = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));

describe('the work of a request', () => {
  it('needs a place after 20 turns, and gives it back at its end', async () => {
    const admission = new Admission();
    const { places } = admission;
    await admission.run('a', response(), async (work) => {
      for (let i = 0; i < 20; i++) await work.giveWay();
      expect(places.running).toBe(0);
      await work.giveWay();
      await work.giveWay();
      expect([places.running, admission.running]).toEqual([1, 1]);
    });
    expect([places.running, admission.running]).toEqual([0, 0]);
  });

  it('gives its place back when it fails', async () => {
    const admission = new Admission({ freeTurns: 0 });
    const failing = admission.run('a', response(), async (work) => {
      await work.giveWay();
      throw new Error('failed');
    });
    await expect(failing).rejects.toThrow('failed');
    expect(admission.places.running).toBe(0);
  });

  it('has one place for all of its parts, and gives it back when one of them fails while it waits', async () => {
    const admission = new Admission({ freeTurns: 0, places: { perSender: 1 } });
    const { places } = admission;
    await admission.run('a', response(), (work) => Promise.all([work.giveWay(), work.giveWay()]));
    expect(places.running).toBe(0);
    await places.take('a', new AbortController().signal);
    const failing = admission.run('a', response(), async (work) => {
      const waits = work.giveWay();
      await Promise.race([waits, Promise.reject(new Error('failed'))]);
    });
    await expect(failing).rejects.toThrow('failed');
    expect([places.running, places.waiting]).toEqual([1, 1]);
    places.giveBack('a');
    await expect.poll(() => [places.running, places.waiting]).toEqual([0, 0]);
  });

  it('needs no place for work after its task', async () => {
    const admission = new Admission({ freeTurns: 0 });
    const work = await admission.run('a', response(), (one) => Promise.resolve(one));
    await work.giveWay();
    expect(admission.places.running).toBe(0);
  });

  it('ends when its response is closed, also when that was before', async () => {
    const admission = new Admission();
    const res = response();
    const gone = admission.run('a', res, async (work) => {
      work.check();
      res.emit('close');
      await work.giveWay();
    });
    await expect(gone).rejects.toMatchObject({
      code: 'ServiceUnavailable',
      message: 'the client has disconnected',
    });
    const closed = response();
    closed.destroy();
    await expect(admission.run('a', closed, (work) => work.giveWay())).rejects.toThrow(
      'the client has disconnected',
    );
  });
});
