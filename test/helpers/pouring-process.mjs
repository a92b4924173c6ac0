// Servers that answer each request without an end, as fast as they can: `pouring-process.mjs WHAT COUNT` prints their ports.
import { createServer } from 'node:net';

const [what, count] = process.argv.slice(2);
const interim = (line) => ['', `HTTP/1.1 ${line}\r\n\r\n`];
const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
const ANSWERS = {
  'interim answers 100': interim('100 Continue'),
  'interim answers 102': interim('102 Processing'),
  'interim answers 103': interim('103 Early Hints\r\nlink: </a>; rel=preload'),
  headers: [OK, 'x-name: value\r\n'],
  'one header': [`${OK}x-name: `, 'v'],
  'parts of one byte': [CHUNKED, '1\r\nx\r\n'],
  'extensions of parts': [`${CHUNKED}1`, ';name=value'],
  trailers: [`${CHUNKED}0\r\n`, 'x-name: value\r\n'],
  'a body': [`${OK}content-length: 1000000000000\r\n\r\n`, 'x'],
  'bytes after an answer': ['HTTP/1.1 204 No Content\r\n\r\n', 'x'],
};
const [head, part] = ANSWERS[what];
const parts = Buffer.from(part.repeat(Math.ceil(100_000 / part.length)));
const ports = [];
for (let i = 0; i < Number(count); i++) {
  const server = createServer((socket) => {
    const pour = () => {
      while (!socket.destroyed && socket.write(parts));
    };
    socket.on('error', () => undefined).on('drain', pour);
    socket.once('data', () => {
      socket.write(head);
      pour();
    });
    socket.resume();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  ports.push(server.address().port);
}
process.stdout.write(`${JSON.stringify(ports)}\n`);
process.on('disconnect', () => process.exit());
