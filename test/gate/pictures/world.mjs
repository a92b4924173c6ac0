/**
 * Serves a shop with the same objects in each run, to look at the console.
 * Needs `npm run build`. Usage: node test/gate/pictures/world.mjs [products=600] [port=0]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startProcess } from '../../bench/daemon.mjs';

const BIN = new URL('../../../bin/xsvc.js', import.meta.url).pathname;
const PLUGINS = new URL('shop', import.meta.url).pathname;
const API = '/apis/shop.example.com/v1';
const BATCH = 200;

/** The daemon with the objects of the shop. Its `stop` removes the store. */
export async function startWorld({ products = 600, port = 0, flags = [], plugins = [PLUGINS] } = {}) {
  const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-shop-'));
  const all = ['--port', String(port), '--data-dir', directory, '--log-level', 'warn'];
  for (const one of plugins) all.push('--plugins', one);
  const daemon = await startProcess([BIN, 'serve', ...all, ...flags], { core: undefined });
  await fill(daemon.url, products);
  const stop = async () => {
    await daemon.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { ...daemon, stop, directory };
}

async function fill(url, products) {
  const batches = [categories(), customers(), productsOf(products), orders(products), access()];
  for (const objects of batches)
    for (let i = 0; i < objects.length; i += BATCH) {
      const items = objects.slice(i, i + BATCH).map((object) => ({ verb: 'create', object }));
      const response = await fetch(new URL('/apis/api.platform.run/v1alpha1/batches', url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ items }),
      });
      if (!response.ok) throw new Error(await response.text());
    }
}

const make = (kind, name, spec) => ({
  apiVersion: API.slice('/apis/'.length),
  kind,
  metadata: { name },
  spec,
});
const number = (i, width) => String(i).padStart(width, '0');

const CATEGORIES = [
  'Books',
  'Kitchen',
  'Garden',
  'Clothes',
  'Office',
  'Toys',
  'Music',
  'Sports',
  'Travel',
  'Lamps',
];

function categories() {
  return CATEGORIES.map((title) => make('Category', title.toLowerCase(), { title }));
}

const FIRST = [
  'Ada',
  'Grace',
  'Alan',
  'Edsger',
  'Barbara',
  'Donald',
  'Katherine',
  'Linus',
  'Margaret',
  'Ken',
];
const LAST = [
  'Ampère',
  'Brontë',
  'Curie',
  'Dürer',
  'Euler',
  'Fermat',
  'Gauß',
  'Hopper',
  'Itō',
  'Joule',
  'Kahlo',
];

function customers() {
  return Array.from({ length: 205 }, (_, i) => {
    const name = `${FIRST[i % FIRST.length]} ${LAST[i % LAST.length]}`;
    return make('Customer', `c-${number(i, 4)}`, {
      name,
      email: `c${i}@example.com`,
      isGold: i % 7 === 0,
      addresses: [
        { street: `Street ${i}`, city: 'Lyon', geo: { lat: 45.75, lon: 4.85 }, phones: [`+33 ${i}`] },
      ],
      preferences: { language: i % 2 === 0 ? 'en' : 'fr' },
    });
  });
}

const LOOKS = ['Sharp', 'Folding', 'Large', 'Quiet', 'Tiny', 'Sturdy', 'Blue', 'Red', 'Bright'];
const THINGS = [
  'chair',
  'ball',
  'knife',
  'notebook',
  'tent',
  'jacket',
  'speaker',
  'pan',
  'lamp',
  'mug',
  'book',
];
const STATES = ['draft', 'published', 'published', 'archived'];
const DAY_MS = 86_400_000;
const BEGIN_MS = Date.UTC(2026, 0, 1);

function productsOf(count) {
  return Array.from({ length: count }, (_, i) =>
    make('Product', `p-${number(i, 5)}`, {
      title: `${LOOKS[i % LOOKS.length]} ${THINGS[i % THINGS.length]} ${i}`,
      sku: `${['ABC', 'QRS', 'XYZ'][i % 3]}-${number(i, 5)}`,
      price: ((i * 7919) % 50_000) / 100,
      stock: (i * 31) % 500,
      state: STATES[i % STATES.length],
      isFeatured: i % 10 === 0,
      category: CATEGORIES[i % CATEGORIES.length].toLowerCase(),
      ...(i > 0 && { related: [`p-${number(i - 1, 5)}`] }),
      publishedAt: new Date(BEGIN_MS + (i % 300) * DAY_MS).toISOString(),
      colour: ['#4338ca', '#14683c', '#b3201f'][i % 3],
      description: `# ${LOOKS[i % LOOKS.length]}\n\nA **longer** text with a list:\n\n- one\n- two\n`,
      images: [{ url: `https://cdn.example.com/${i}-a.jpg`, alt: 'front' }],
      attributes: { material: 'wood' },
      variants: { small: { price: 1, stock: 2 } },
      weight: i % 2 === 0 ? i : `${i} g`,
      delivery: { carrier: 'post' },
    }),
  );
}

function orders(products) {
  return Array.from({ length: 303 }, (_, i) =>
    make('Order', `o-${number(i, 5)}`, {
      customer: `c-${number(i % 205, 4)}`,
      state: ['open', 'paid', 'sent', 'cancelled'][i % 4],
      orderedAt: new Date(BEGIN_MS + i * DAY_MS).toISOString(),
      lines: [0, 1].map((k) => ({
        product: `p-${number((i * 2 + k) % products, 5)}`,
        count: k + 1,
        price: 9.5,
      })),
    }),
  );
}

const accessObject = (kind, name, more) => ({
  apiVersion: 'access.platform.run/v1alpha1',
  kind,
  metadata: { name },
  ...more,
});

const SHOP = ['shop.example.com'];
const READ = ['get', 'list', 'watch'];

function access() {
  const users = ['ada', 'grace', 'alan', 'linus'].map((name, i) =>
    accessObject('User', name, {
      spec: { displayName: `${FIRST[i]} ${LAST[i]}`, ...(name === 'linus' && { disabled: true }) },
    }),
  );
  const roles = [
    accessObject('Role', 'reader', { rules: [{ apiGroups: SHOP, resources: ['*'], verbs: READ }] }),
    accessObject('Role', 'order-editor', {
      rules: [
        {
          apiGroups: SHOP,
          resources: ['orders', 'orders/history'],
          verbs: [...READ, 'create', 'update', 'patch'],
        },
        { apiGroups: SHOP, resources: ['products'], resourceNames: ['p-00001'], verbs: ['get', 'patch'] },
        { apiGroups: SHOP, resources: ['orders'], verbs: ['approve'] },
        { nonResourceURLs: ['/version', '/v3/*'], verbs: ['get'] },
      ],
    }),
  ];
  const bindings = users.map(({ metadata: { name } }, i) =>
    accessObject('RoleBinding', `${name}-works`, {
      roleRef: { kind: 'Role', name: i % 2 === 0 ? 'reader' : 'order-editor' },
      subjects: [{ kind: 'User', name }],
    }),
  );
  return [...users, ...roles, ...bindings];
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [products, port] = [600, 0].map((fallback, i) => Number(process.argv[2 + i] ?? fallback));
  const world = await startWorld({ products, port });
  console.log(`${world.url}/console/`);
  process.once('SIGINT', () => void world.stop());
  process.once('SIGTERM', () => void world.stop());
}
