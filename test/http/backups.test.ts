import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { backupSource } from '../../src/admin/backup-source.js';
import { createExpressApp } from '../../src/http/express-app.js';
import { BACKUPS } from '../../src/http/platform/backups.js';
import type { MakeBackup } from '../../src/http/platform/platform.js';
import { listen } from '../../src/http/server.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { openTestService, removeDirectories } from '../helpers/store.js';

afterAll(removeDirectories);

async function answerOf(makeBackup: MakeBackup, aliveMs: number): Promise<string> {
  const test = await openTestService();
  const app = createExpressApp({
    service: test.service,
    models: test.service.models,
    logger: SILENT,
    bodyBytesMax: 1024,
    loopbackOnly: false,
    version: '0.1.0',
    makeBackup,
    stallMs: 1_000,
    aliveMs,
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const text = await new Promise<string>((resolve) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let received = '';
    socket.on('data', (part) => (received += String(part)));
    socket.on('close', () => resolve(received));
    socket.write(`POST ${BACKUPS.path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  });
  await server.close(0);
  await test.close();
  return text;
}

describe('a backup over HTTP', () => {
  it('keeps a waiting client informed, and is closed after it was sent', async () => {
    let isClosed = false;
    const text = await answerOf(async () => {
      await sleep(300);
      return {
        bytes: 5,
        async *parts() {
          yield await Promise.resolve(Buffer.from('whole'));
        },
        close: () => Promise.resolve().then(() => void (isClosed = true)),
      };
    }, 50);
    expect(text).toMatch(/^(HTTP\/1\.1 102 Processing\r\n\r\n)+HTTP\/1\.1 200 OK\r\n/);
    expect(text).toMatch(/\r\nContent-Length: 5\r\n[^]*\r\n\r\nwhole$/);
    expect(isClosed).toBe(true);
  });

  it('says that the files of the store are gone', async () => {
    const directory = path.join(tmpdir(), `xsvc-test-${randomUUID()}`);
    const text = await answerOf(backupSource(directory), 30_000);
    expect(text).toMatch(/^HTTP\/1\.1 503 /);
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({
      reason: 'ServiceUnavailable',
      message: `the files of the store in ${directory} are gone; stop the service and restore a backup there`,
    });
  });
});
