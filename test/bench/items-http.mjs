import { Agent, request } from 'node:http';
import { ITEMS_PATH } from './items.mjs';

/** Lists items over HTTP, on one connection that is kept. */
export function itemsOverHttp(url) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    list: async (options) => {
      const body = await get(`${url}${ITEMS_PATH}?${new URLSearchParams(options)}`, agent);
      return JSON.parse(body);
    },
    close: () => agent.destroy(),
  };
}

function get(url, agent) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent }, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(`${answer.statusCode}: ${text}`));
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}
