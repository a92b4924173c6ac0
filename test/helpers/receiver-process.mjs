// A receiver of webhooks that may be killed: it keeps each request in a file before it answers.
import { openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';

const [port, file] = process.argv.slice(2);
const log = openSync(file, 'a');

const server = createServer((request, response) => {
  let text = '';
  request.on('data', (part) => (text += part));
  request.on('end', () => {
    const { type, resourceVersion, object } = JSON.parse(text);
    writeSync(log, `${JSON.stringify([object.metadata.name, Number(resourceVersion), type])}\n`);
    response.writeHead(204).end();
  });
});
server.listen(Number(port), '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
