import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';

const GROUP = { group: 'shop.example.com', version: 'v1' };
const reference = (kind) => ({ 'x-xsvc-reference': { group: GROUP.group, kind } });
const text = (more = {}) => ({ type: 'string', ...more });
const timestamp = text({ format: 'date-time' });

function spec(required, properties) {
  return { type: 'object', additionalProperties: false, required, properties };
}

/** The names of fields in German, by their English ones. */
const GERMAN = {
  title: 'Titel',
  parent: 'Übergeordnet',
  name: 'Name',
  email: 'E-Mail',
  website: 'Webseite',
  isGold: 'Goldkunde',
  password: 'Passwort',
  since: 'Kunde seit',
  addresses: 'Adressen',
  street: 'Straße',
  city: 'Ort',
  phones: 'Telefon',
  preferences: 'Vorlieben',
  sku: 'Artikelnummer',
  price: 'Preis',
  stock: 'Bestand',
  state: 'Zustand',
  isFeatured: 'Empfohlen',
  category: 'Kategorie',
  related: 'Ähnliche Produkte',
  publishedAt: 'Veröffentlicht',
  colour: 'Farbe',
  description: 'Beschreibung',
  images: 'Bilder',
  attributes: 'Merkmale',
  variants: 'Varianten',
  weight: 'Gewicht',
  delivery: 'Lieferung',
  customer: 'Kunde',
  lines: 'Positionen',
  orderedAt: 'Bestellt am',
  note: 'Notiz',
  product: 'Produkt',
  count: 'Anzahl',
};

/** A schema with the names of its fields in German. */
function inGerman(one) {
  if (one === null || typeof one !== 'object') return one;
  if (Array.isArray(one)) return one.map(inGerman);
  const named = Object.entries(one).map(([key, value]) => [
    key,
    key === 'properties' ? fieldsInGerman(value) : inGerman(value),
  ]);
  return Object.fromEntries(named);
}

function fieldsInGerman(fields) {
  const named = Object.entries(fields).map(([name, field]) => {
    const { 'x-xsvc-console': hints, ...rest } = inGerman(field);
    const de = GERMAN[name];
    return [
      name,
      de === undefined ? inGerman(field) : { ...rest, 'x-xsvc-console': { ...hints, titles: { de } } },
    ];
  });
  return Object.fromEntries(named);
}

/** The hints of a model with its names in German: those of its list, and of one object. */
const german = (list, one) => ({ titles: { de: list }, kinds: { de: one } });

function schema(hints, members) {
  return {
    type: 'object',
    'x-xsvc-console': hints,
    required: ['spec'],
    properties: { spec: inGerman(members), status: { type: 'object', additionalProperties: true } },
  };
}

class Category extends AbstractExtension {
  static schema = schema(
    { title: 'spec.title', icon: 'tags', ...german('Kategorien', 'Kategorie') },
    spec(['title'], { title: text({ maxLength: 80 }), parent: text(reference('Category')) }),
  );
}
GVK({ ...GROUP, kind: 'Category', plural: 'categories', singular: 'category' })(Category);

class Customer extends AbstractExtension {
  static schema = schema(
    { title: 'spec.name', icon: 'users', ...german('Kunden', 'Kunde') },
    spec(['name', 'email'], {
      name: text({ minLength: 1, maxLength: 120 }),
      email: text({ format: 'email' }),
      website: text({ format: 'uri' }),
      isGold: { type: 'boolean', default: false },
      password: text({ 'x-xsvc-console': { widget: 'password' } }),
      since: text({ format: 'date' }),
      addresses: {
        type: 'array',
        items: {
          type: 'object',
          required: ['city'],
          properties: {
            street: text(),
            city: text(),
            geo: { type: 'object', properties: { lat: { type: 'number' }, lon: { type: 'number' } } },
            phones: { type: 'array', items: text() },
          },
        },
      },
      preferences: { type: 'object', additionalProperties: text() },
    }),
  );
}
GVK({ ...GROUP, kind: 'Customer', plural: 'customers', singular: 'customer' })(Customer);

class Product extends AbstractExtension {
  static schema = schema(
    { title: 'spec.title', icon: 'package', ...german('Produkte', 'Produkt') },
    spec(['title', 'sku', 'price'], {
      title: text({ minLength: 1, maxLength: 120 }),
      sku: text({
        pattern: '^[A-Z]{3}-[0-9]{5}$',
        description: 'Three capitals, a dash, five digits: ABC-00001',
      }),
      price: { type: 'number', minimum: 0 },
      stock: { type: 'integer', minimum: 0, default: 0 },
      state: text({ enum: ['draft', 'published', 'archived'], default: 'draft' }),
      isFeatured: { type: 'boolean', default: false },
      category: text(reference('Category')),
      related: { type: 'array', items: text(reference('Product')) },
      publishedAt: timestamp,
      colour: text({ 'x-xsvc-console': { widget: 'color' } }),
      description: text({ maxLength: 50_000, 'x-xsvc-console': { widget: 'markdown' } }),
      images: {
        type: 'array',
        items: {
          type: 'object',
          required: ['url'],
          properties: { url: text({ format: 'uri' }), alt: text() },
        },
      },
      attributes: { type: 'object', additionalProperties: text() },
      variants: {
        type: 'object',
        additionalProperties: {
          type: 'object',
          properties: { price: { type: 'number' }, stock: { type: 'integer' } },
        },
      },
      weight: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
      delivery: {
        oneOf: [
          { title: 'Parcel', type: 'object', required: ['carrier'], properties: { carrier: text() } },
          {
            title: 'Download',
            type: 'object',
            required: ['url'],
            properties: { url: text({ format: 'uri' }) },
          },
        ],
      },
    }),
  );
}
GVK({ ...GROUP, kind: 'Product', plural: 'products', singular: 'product' })(Product);

class Order extends AbstractExtension {
  static schema = schema(
    { icon: 'receipt', ...german('Bestellungen', 'Bestellung') },
    spec(['customer', 'lines'], {
      customer: text(reference('Customer')),
      state: text({ enum: ['open', 'paid', 'sent', 'cancelled'], default: 'open' }),
      orderedAt: timestamp,
      note: text({ maxLength: 2_000 }),
      lines: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          required: ['product', 'count'],
          properties: {
            product: text(reference('Product')),
            count: { type: 'integer', minimum: 1 },
            price: { type: 'number' },
          },
        },
      },
    }),
  );
}
GVK({ ...GROUP, kind: 'Order', plural: 'orders', singular: 'order' })(Order);

const column = (name, jsonPath, type) => ({ name, jsonPath, type });
Product.columns = [
  column('Title', '.spec.title', 'string'),
  column('SKU', '.spec.sku', 'string'),
  column('Price', '.spec.price', 'number'),
  column('Stock', '.spec.stock', 'integer'),
  column('State', '.spec.state', 'string'),
  column('Category', '.spec.category', 'string'),
  column('Featured', '.spec.isFeatured', 'boolean'),
  column('Published', '.spec.publishedAt', 'date'),
];
Customer.columns = [
  column('Full name', '.spec.name', 'string'),
  column('Email', '.spec.email', 'string'),
  column('Gold', '.spec.isGold', 'boolean'),
];
Category.columns = [column('Title', '.spec.title', 'string'), column('Parent', '.spec.parent', 'string')];
Order.columns = [
  column('Customer', '.spec.customer', 'string'),
  column('State', '.spec.state', 'string'),
  column('Ordered', '.spec.orderedAt', 'date'),
];

const one = (name, keyType) => IndexSpecs.single(`spec.${name}`, keyType).indexFunc(({ spec }) => spec[name]);

export default class ShopPlugin extends BasePlugin {
  start() {
    const { schemeManager } = this.ctx;
    schemeManager.register(Category, (specs) => specs.add(one('title', 'string')));
    schemeManager.register(Customer, (specs) => {
      specs.add(one('name', 'string'));
      specs.add(one('isGold', 'boolean'));
    });
    schemeManager.register(Product, (specs) => {
      for (const name of ['title', 'sku', 'state', 'category']) specs.add(one(name, 'string'));
      specs.add(one('price', 'number'));
      specs.add(one('stock', 'integer'));
      specs.add(one('isFeatured', 'boolean'));
      specs.add(one('publishedAt', 'instant'));
      specs.add(IndexSpecs.text('search').indexFunc(({ spec }) => [spec.title, spec.sku, spec.description]));
    });
    schemeManager.register(Order, (specs) => {
      for (const name of ['customer', 'state']) specs.add(one(name, 'string'));
      specs.add(one('orderedAt', 'instant'));
    });
  }
}
