/**
 * Reads one list and, until it ends, single objects over another connection. argv: URL of the server, path of the
 * list, path of the collection, number of objects. Talks to the process that forked it: says when it is ready, begins
 * when it is asked to, says what the list cost, and then, when it is asked to, the names in it.
 */
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import process from 'node:process';

const [url, list, collection, count] = process.argv.slice(2);

function read(agent, path) {
  return new Promise((resolve, reject) => {
    const request = get(new URL(path, url), { agent }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, parts }));
    });
    request.on('error', reject);
  });
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
// The first request opens the connection.
await read(agent, `${collection}/item-0`);
process.send('ready');
await once(process, 'message');
let isOver = false;
const whole = read(new Agent(), list).finally(() => (isOver = true));
const waits = [];
for (let i = 0; !isOver; i = (i + 7919) % Number(count)) {
  const began = performance.now();
  const { status } = await read(agent, `${collection}/item-${i}`);
  if (status !== 200) throw new Error(`item-${i} is answered with ${status}`);
  waits.push(performance.now() - began);
}
const { parts } = await whole;
const body = Buffer.concat(parts);
waits.sort((a, b) => a - b);
const slowMs = waits[Math.floor(waits.length * 0.99)];
process.send({ bytes: body.length, gets: waits.length, slowestMs: waits.at(-1), slowMs });
await once(process, 'message');
const names = body
  .toString('latin1')
  .match(/"metadata":\{"name":"[^"]+"/g)
  .map((text) => text.slice(20, -1));
process.send(names, () => process.exit());
