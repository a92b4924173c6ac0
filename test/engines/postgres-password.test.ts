import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { parsePostgresAddress } from '../../src/engines/postgres/address.js';
import { openPostgresLog } from '../../src/engines/postgres/log.js';

const PASSWORD = 'a-password-of-tests';
/** A message of the server: its letter, its length with that of the length, its bytes. */
function message(letter: string, ...parts: readonly (number | string)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : int32(part))),
  );
  return Buffer.concat([Buffer.from(letter), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** Kinds of authentication requests (AuthenticationCleartextPassword, MD5Password, SASL). */
const ASKS = {
  'clear text': message('R', 3),
  MD5: message('R', 5, 'salt'),
  SCRAM: message('R', 10, 'SCRAM-SHA-256\0\0'),
};

let server: Server | undefined;
let env = process.env['PGPASSWORD'];

afterEach(async () => {
  if (env === undefined) delete process.env['PGPASSWORD'];
  else process.env['PGPASSWORD'] = env;
  const closed = server && once(server, 'close');
  server?.close();
  await closed;
});

/** A server that asks for a password and keeps what it is sent. */
async function fakeServer(
  ask: Buffer,
): Promise<{ port: number; received: Buffer[]; closed: Promise<unknown> }> {
  const received: Buffer[] = [];
  let end: (value: unknown) => void;
  const closed = new Promise((resolve) => (end = resolve));
  server = createServer((socket: Socket) => {
    socket.on('data', (part) => {
      received.push(part);
      if (received.length === 1) socket.write(ask);
      // The answer is enough.
      else socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', end);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, received, closed };
}

describe('without TLS', () => {
  it.each(['clear text', 'MD5'] as const)('no password is sent that is asked for in %s', async (form) => {
    env = process.env['PGPASSWORD'];
    process.env['PGPASSWORD'] = PASSWORD;
    const { port, received, closed } = await fakeServer(ASKS[form]);
    const address = parsePostgresAddress(`postgres://ann@127.0.0.1:${port}/things`);
    const opening = openPostgresLog(address, { timeoutMs: 20_000, warn: () => undefined });
    await expect(opening).rejects.toMatchObject({
      code: 'ServiceUnavailable',
      message: expect.stringMatching(
        /asks for the password (in clear text|as MD5).*it was not sent/,
      ) as unknown,
    });
    await closed;
    // The packet that begins a session: protocol 3.0, the user and the database.
    const [startup, ...others] = received;
    expect(others).toEqual([]);
    expect([startup?.readInt32BE(0), startup?.readInt32BE(4)]).toEqual([startup?.length, 3 << 16]);
    expect(startup?.toString('latin1')).not.toContain(PASSWORD);
  });

  it('a proof is sent that one has it (SCRAM)', async () => {
    env = process.env['PGPASSWORD'];
    process.env['PGPASSWORD'] = PASSWORD;
    const { port, received, closed } = await fakeServer(ASKS.SCRAM);
    const address = parsePostgresAddress(`postgres://ann@127.0.0.1:${port}/things`);
    const opening = openPostgresLog(address, { timeoutMs: 0, warn: () => undefined });
    await expect(opening).rejects.toThrow();
    await closed;
    expect(received[1]?.toString('latin1')).toContain('SCRAM-SHA-256');
    expect(Buffer.concat(received).toString('latin1')).not.toContain(PASSWORD);
  });

  it('a server in the network is warned of before anything is sent', async () => {
    const warnings: string[] = [];
    // Reserved for documentation (RFC 5737): nobody answers there.
    const address = parsePostgresAddress('postgres://ann@192.0.2.1/things?sslmode=disable');
    const opening = openPostgresLog(address, { timeoutMs: 0, warn: (text) => warnings.push(text) });
    expect(warnings).toEqual([expect.stringContaining('not encrypted (sslmode=disable)')]);
    await expect(opening).rejects.toMatchObject({ code: 'ServiceUnavailable' });
  });
});
