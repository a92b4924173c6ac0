/**
 * Measures the cost of rules and references for writers: processor time for each create, 64 at a time, in process, of a
 * model without any, with three rules, with two references, and with both. Needs `npm run build`.
 * Usage: node test/bench/rule-cost.mjs [rounds=5] [creates=4000]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { median } from './packages.mjs';
import { openPluginService } from './plugin-service.mjs';
import { formatTable } from './timing.mjs';

const rounds = Number(process.argv[2] ?? 5);
const creates = Number(process.argv[3] ?? 4000);
const CASES = [
  { name: 'neither', rules: false, references: false },
  { name: 'three rules', rules: true, references: false },
  { name: 'two references', rules: false, references: true },
  { name: 'both', rules: true, references: true },
];
const CONCURRENT = 64;
const TARGETS = 100;

const MANIFEST = `apiVersion: plugin.platform.run/v1alpha1
kind: Plugin
metadata:
  name: rule-cost
spec:
  version: 1.0.0
`;

const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

const cases = [];
for (const one of CASES) cases.push(await openCase(one));
for (const one of cases) await createMany(one);
// Rounds take turns, so that what else the machine does meets all cases alike.
for (let round = 0; round < rounds; round++) {
  for (const one of cases) one.times.push(await createMany(one));
}
for (const { close } of cases) await close();

const base = median(cases[0].times);
console.log(`processor time of a create, ${CONCURRENT} at a time, ${rounds} rounds of ${creates}:`);
console.log(
  formatTable([
    ['model with', 'median us', 'lowest', 'highest', 'of the first'],
    ...cases.map(({ name, times }) => [
      name,
      ...[median(times), Math.min(...times), Math.max(...times)].map((us) => us.toFixed(1)),
      (median(times) / base).toFixed(2),
    ]),
  ]),
);

async function openCase(given) {
  const root = path.join(directory, given.name.replaceAll(' ', '-'));
  const plugin = path.join(root, 'plugin');
  mkdirSync(plugin, { recursive: true });
  writeFileSync(path.join(plugin, 'plugin.yaml'), MANIFEST);
  writeFileSync(path.join(plugin, 'index.js'), moduleOf(given));
  const { service, find, close } = await openPluginService(path.join(root, 'data'), plugin);
  const targets = find('rooms');
  for (let i = 0; i < TARGETS; i++)
    await service.create(targets, { metadata: { name: `room-${i}` }, spec: {} });
  return { ...given, service, resource: find('bookings'), close, created: 0, times: [] };
}

/** Microseconds of processor time for each create. */
async function createMany(one) {
  const last = one.created + creates;
  const before = process.cpuUsage();
  const worker = async () => {
    while (one.created < last) await one.service.create(one.resource, objectOf(one.created++));
  };
  await Promise.all(Array.from({ length: CONCURRENT }, worker));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / creates;
}

function objectOf(number) {
  const spec = {
    room: `room-${number % TARGETS}`,
    annex: `room-${(number * 7 + 1) % TARGETS}`,
    start: number,
    end: number + 3,
    guests: ['ann', 'bob', 'cy'],
  };
  return { metadata: { name: `booking-${number}` }, spec };
}

function moduleOf({ rules, references }) {
  const reference = references ? { 'x-xsvc-reference': { group: 'bench.example.com', kind: 'Room' } } : {};
  const spec = {
    type: 'object',
    required: ['room', 'start', 'end'],
    properties: {
      room: { type: 'string', ...reference },
      annex: { type: 'string', ...reference },
      start: { type: 'integer' },
      end: { type: 'integer' },
      guests: { type: 'array', items: { type: 'string' } },
    },
    ...(rules && {
      'x-kubernetes-validations': [
        { rule: 'self.end > self.start', message: 'must end after the start' },
        {
          rule: '!has(self.annex) || self.annex != self.room || self.start == 0',
          message: 'must be another room',
        },
        { rule: 'self.guests.all(guest, guest.size() < 20)', message: 'must have short names' },
      ],
    }),
  };
  // References also need indexes. All models have the same ones, so that only the check differs.
  const indexes = `(specs) => {
      specs.add(IndexSpecs.single('spec.room', 'string').indexFunc(({ spec }) => spec.room));
      specs.add(IndexSpecs.single('spec.annex', 'string').indexFunc(({ spec }) => spec.annex));
    }`;
  return `import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';

class Room extends AbstractExtension {
  static schema = { type: 'object', properties: { spec: { type: 'object' } } };
}

class Booking extends AbstractExtension {
  static schema = { type: 'object', required: ['spec'], properties: { spec: ${JSON.stringify(spec)} } };
}

GVK({ group: 'bench.example.com', version: 'v1', kind: 'Room', plural: 'rooms', singular: 'room' })(Room);
GVK({ group: 'bench.example.com', version: 'v1', kind: 'Booking', plural: 'bookings', singular: 'booking' })(Booking);

export default class RuleCostPlugin extends BasePlugin {
  start() {
    this.ctx.schemeManager.register(Room);
    this.ctx.schemeManager.register(Booking, ${references ? 'undefined' : indexes});
  }
}
`;
}
