import { putFiles } from './cli.js';

export const PRODUCT = 'shop.example.com/v1/products';
export const PRODUCTS = `/apis/${PRODUCT}`;

const text = { type: 'string' };
const SPEC = {
  type: 'object',
  required: ['title', 'price'],
  properties: {
    title: { ...text, minLength: 1, example: 'Sharp chair' },
    state: { ...text, enum: ['draft', 'published'], default: 'draft' },
    category: { ...text, 'x-xsvc-reference': { group: 'shop.example.com', kind: 'Category' } },
    published: { ...text, format: 'date-time' },
    ...Object.fromEntries(Array.from({ length: 14 }, (_, i) => [`measure${i}`, { type: 'number' }])),
    price: { type: 'number', minimum: 0 },
  },
};
const COLUMNS = [
  { name: 'Title', jsonPath: '.spec.title', type: 'string' },
  { name: 'Published', jsonPath: '.spec.published', type: 'date' },
];

/** Writes two plugins below `plugins` of a directory: `shop` has categories, and products with a form of several screens; `stall` needs it. */
export function putShop(cwd: string): Promise<void> {
  const manifest = (name: string, more = ''): string =>
    `apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: ${name} }\nspec: { version: 1.0.0${more} }\n`;
  const model = (kind: string, plural: string, spec: object, columns: object = []): string =>
    `class ${kind} extends AbstractExtension {
  static schema = ${JSON.stringify({ type: 'object', required: ['spec'], properties: { spec } })};
  static columns = ${JSON.stringify(columns)};
}
GVK(${JSON.stringify({ group: 'shop.example.com', version: 'v1', kind, plural, singular: kind.toLowerCase() })})(${kind});
`;
  return putFiles(cwd, {
    'plugins/shop/plugin.yaml': manifest('shop'),
    'plugins/shop/index.mjs': `import { AbstractExtension, BasePlugin, GVK } from 'xsvc';
${model('Category', 'categories', { type: 'object' })}${model('Product', 'products', SPEC, COLUMNS)}
export default class Shop extends BasePlugin {
  start() {
    for (const one of [Category, Product]) this.ctx.schemeManager.register(one);
  }
}
`,
    'plugins/stall/plugin.yaml': manifest('stall', ", pluginDependencies: { shop: '*' }"),
    'plugins/stall/index.mjs': `import { AbstractExtension, BasePlugin, GVK } from 'xsvc';
${model('Stall', 'stalls', { type: 'object' })}
export default class Stalls extends BasePlugin {
  start() {
    this.ctx.schemeManager.register(Stall);
  }
}
`,
  });
}
