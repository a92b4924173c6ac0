/**
 * Measures the cost of access control, as ratios of requests per second in alternating rounds: pages of a list whose objects a rule
 * of the role filters, beside the same filter in the request; a GET with an ID token, beside one with a token of the service; and
 * creates with an audit log, beside a service without one. Needs `npm run build` and wrk.
 * Usage: node test/bench/access-cost.mjs [rounds=5] [seconds=3] [objects=20000]
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { PLUGINS, startProcess } from './daemon.mjs';
import { NUMBER, putLoad } from './load.mjs';
import { median } from './packages.mjs';
import { formatTable } from './timing.mjs';

const [rounds = 5, seconds = 3, objects = 20_000] = process.argv.slice(2).map(Number);
const BIN = new URL('../../bin/xsvc.js', import.meta.url).pathname;
const PERSONS = '/apis/demo.example.com/v1alpha1/persons';
const FILTER = 'spec.age >= 30';
const CLIENT = 'bench';
const HALF_OF_AGES = 60;

const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

const issuer = await openIssuer();
const plain = await openService('plain', []);
const audited = await openService('audited', ['--audit-log', path.join(directory, 'audit.log')]);
await fill(plain);
const { admin } = plain;
await post(plain, '/apis/access.platform.run/v1alpha1/roles', {
  metadata: { name: 'limited' },
  rules: [{ apiGroups: ['demo.example.com'], resources: ['persons'], verbs: ['list'], filter: FILTER }],
});
const limited = createToken('plain', 'ann', 'limited');
const idToken = await issuer.sign('cleo');
await post(plain, '/apis/access.platform.run/v1alpha1/rolebindings', {
  metadata: { name: 'cleo' },
  roleRef: { kind: 'Role', name: 'admin' },
  subjects: [{ kind: 'User', name: 'oidc:cleo' }],
});

const pages = Array.from({ length: 400 }, (_, i) => `page=${i + 1}&size=10&sort=spec.name`);
const cases = [
  {
    name: 'pages of a filtered list: by a rule : by hand',
    sides: [
      { at: plain, requests: pages.map((page) => get(limited, `${PERSONS}?${page}`)) },
      {
        at: plain,
        requests: pages.map((page) => get(admin, `${PERSONS}?${page}&filter=${encodeURIComponent(FILTER)}`)),
      },
    ],
  },
  {
    name: 'GET: ID token : own token',
    sides: [idToken, admin].map((token) => ({ at: plain, requests: [get(token, `${PERSONS}/person-1`)] })),
  },
  {
    name: 'creates: with an audit log : without',
    sides: [audited, plain].map((at) => ({ at, requests: [createOf(at.admin)] })),
  },
];
for (const one of cases) one.ratios = await compareSides(one.sides);
for (const { stop } of [plain, audited]) await stop();
issuer.close();

console.log(`${objects} objects, ${rounds} rounds of ${seconds} s, 32 connections:`);
console.log(
  formatTable([
    ['ratio', 'median', 'lowest', 'highest', 'first/s'],
    ...cases.map(({ name, ratios }) => {
      const all = ratios.map(({ ratio }) => ratio);
      const shown = [median(all), Math.min(...all), Math.max(...all)].map((ratio) => ratio.toFixed(3));
      return [name, ...shown, median(ratios.map(({ rate }) => rate)).toFixed(0)];
    }),
  ]),
);

async function compareSides(sides) {
  const ratios = [];
  // The first round fills caches and is not counted.
  for (let round = -1; round < rounds; round++) {
    const rates = [];
    // The sides take turns in going first.
    const isForth = round % 2 === 0;
    for (const side of isForth ? sides : sides.toReversed())
      rates.push(await putLoad({ url: side.at.url, connections: 32, seconds, requests: side.requests }));
    const [first, second] = isForth ? rates : rates.toReversed();
    if (round >= 0) ratios.push({ ratio: first.rate / second.rate, rate: first.rate });
  }
  return ratios;
}

/** The service on an empty store, with the token of an admin. */
async function openService(name, more) {
  mkdirSync(path.join(directory, name));
  const flags = ['--port', '0', '--data-dir', path.join(directory, name), '--plugins', PLUGINS];
  const oidc = ['--oidc-issuer', issuer.url, '--oidc-client-id', CLIENT];
  const args = [BIN, 'serve', ...flags, '--log-level', 'warn', '--auth', 'token', ...oidc, ...more];
  const server = await startProcess(args);
  return { ...server, name, admin: createToken(name, 'admin') };
}

function createToken(name, user, role) {
  const args = ['token', 'create', '--user', user, '--data-dir', path.join(directory, name)];
  if (role !== undefined) args.push('--role', role);
  return execFileSync(process.execPath, [BIN, ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .trim();
}

async function post({ url, admin: token }, target, body) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}${target}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
}

async function fill(service) {
  const perBatch = 500;
  for (let at = 0; at < objects; at += perBatch) {
    const items = Array.from({ length: perBatch }, (_, i) => ({
      verb: 'create',
      object: person(`person-${at + i}`, at + i),
    }));
    await post(service, '/apis/api.platform.run/v1alpha1/batches', { items });
  }
}

function person(name, i) {
  return {
    apiVersion: 'demo.example.com/v1alpha1',
    kind: 'Person',
    metadata: { name },
    spec: { name, age: i % HALF_OF_AGES },
  };
}

function get(token, target) {
  return Buffer.from(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`);
}

function createOf(token) {
  const body = JSON.stringify({ metadata: { name: `made-${NUMBER}` }, spec: { name: 'Made', age: 1 } });
  const head = `POST ${PERSONS} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}`;
  return Buffer.from(
    `${head}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

/** An issuer of ID tokens on this machine. */
async function openIssuer() {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS256', use: 'sig' };
  const server = createServer((req, res) => {
    const documents = {
      '/.well-known/openid-configuration': {
        issuer: url,
        jwks_uri: `${url}/jwks`,
        authorization_endpoint: `${url}/auth`,
        token_endpoint: `${url}/token`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      },
      '/jwks': { keys: [jwk] },
    };
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify(documents[req.url] ?? {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  const sign = (sub) =>
    new SignJWT({})
      .setProtectedHeader({ alg: 'RS256', kid: 'bench' })
      .setIssuer(url)
      .setAudience(CLIENT)
      .setSubject(sub)
      .setIssuedAt()
      .setExpirationTime('2h')
      .sign(privateKey);
  return { url, sign, close: () => server.close() };
}
