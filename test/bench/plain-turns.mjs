/**
 * Shows the effect of the machine on any process that keeps its event loop busy: a plain server answers with as many
 * bytes as requested, 64 KiB at a time, works for a millisecond on each and lets others run in between.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';

const CHUNK = Buffer.alloc(64 * 1024);
const TURN_MS = 1;

const server = createServer((request, response) => {
  void stream(response, Number(new URL(request.url, 'http://localhost').searchParams.get('bytes')));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));

async function stream(response, bytes) {
  for (let left = bytes; left > 0; left -= CHUNK.length) {
    const until = performance.now() + TURN_MS;
    while (performance.now() < until);
    if (!response.write(CHUNK)) await once(response, 'drain');
    await nextTurn();
  }
  response.end();
}
