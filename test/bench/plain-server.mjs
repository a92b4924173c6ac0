/**
 * Plain node:http that answers fixed bytes: what HTTP itself costs. It keeps a watch open and sends nothing: what a socket
 * costs. argv[2]: the bytes, base64.
 */
import { createServer } from 'node:http';

const bytes = Buffer.from(process.argv[2], 'base64');
const server = createServer((req, res) => {
  if (req.url.includes('watch=true')) {
    res.writeHead(200, { 'Content-Type': 'application/json' });
    res.flushHeaders();
    return;
  }
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length });
  res.end(bytes);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
