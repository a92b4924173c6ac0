import { Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';

/**
 * A function that asks a server. Certificates are not verified: that of a kube-apiserver for tests is its own.
 * A body that is not JSON is answered as `{ text }`.
 */
export function connect(url, token) {
  const isPlain = url.startsWith('http:');
  const [send, agent] = isPlain
    ? [plainRequest, new PlainAgent({ keepAlive: true })]
    : [request, new Agent({ keepAlive: true, rejectUnauthorized: false })];
  return (method, path, body) => {
    const headers = {
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    return new Promise((resolve, reject) => {
      const sent = send(new URL(path, url), { method, headers, agent }, (answer) => {
        const parts = [];
        answer.on('data', (part) => parts.push(part));
        answer.on('end', () => {
          const text = Buffer.concat(parts).toString();
          resolve({
            code: answer.statusCode,
            warnings: answer.headers.warning ?? '',
            body: text.startsWith('{') ? JSON.parse(text) : { text },
          });
        });
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  };
}

/** The fields of which an answer warns that a definition does not know them. */
export function unknownFields({ warnings }) {
  return [...warnings.matchAll(/unknown field \\"([^"\\]+)\\"/g)].map(([, path]) => path).sort();
}

export async function until(what, isThere) {
  for (let left = 600; left > 0; left--) {
    if (await isThere()) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`waited too long for ${what}`);
}
