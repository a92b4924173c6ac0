import type { JsonObject } from '../../../lib/json.js';
import {
  NEW_MODEL,
  newField,
  type FieldDraft,
  type FieldType,
  type ModelDraft,
} from '../draft/model-draft.js';
import { namesOf } from '../draft/names.js';
import { writeDefinition } from '../draft/write-definition.js';

/** Models with objects, to look around in. */
export interface Example {
  /** In the URL. */
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly icon: string;
  readonly definitions: readonly JsonObject[];
  readonly objects: readonly JsonObject[];
}

function field(type: FieldType, label: string, more: Partial<FieldDraft> = {}): FieldDraft {
  return { ...newField(type, label), label, ...more };
}

const TITLE = { isRequired: true, isTitle: true, isSearched: true, isColumn: true };
const SHOWN = { isColumn: true, isIndexed: true };

function define(group: string, title: string, icon: string, fields: readonly FieldDraft[]): JsonObject {
  const draft: ModelDraft = { ...NEW_MODEL, title, icon, fields };
  return writeDefinition(draft, namesOf(draft, group));
}

/** Objects of a kind, by their names. */
function make(
  apiVersion: string,
  kind: string,
  specs: Readonly<Record<string, JsonObject>>,
): readonly JsonObject[] {
  return Object.entries(specs).map(([name, spec]) => ({ apiVersion, kind, metadata: { name }, spec }));
}

const note = (title: string, tags: readonly string[], body: string, pinned = false): JsonObject => ({
  ...{ title, tags, body, pinned },
});

const NOTES: Example = {
  name: 'notes',
  title: 'Notes',
  about: 'One model: notes with formatted text and tags.',
  icon: 'receipt',
  definitions: [
    define('notes.example.com', 'Note', 'receipt', [
      field('text', 'Title', TITLE),
      field('markdown', 'Body', { isSearched: true }),
      field('texts', 'Tags', SHOWN),
      field('boolean', 'Pinned', { ...SHOWN, preset: 'false' }),
    ]),
  ],
  objects: make('notes.example.com/v1', 'Note', {
    welcome: note('Welcome', ['start'], '# Welcome\n\nChange this note, or write another.', true),
    groceries: note('Groceries', ['home'], '- bread\n- apples\n- tea'),
    'reading-list': note('Reading list', ['books'], '1. Invisible Cities\n2. The Left Hand of Darkness'),
    'meeting-monday': note('Meeting on Monday', ['work'], 'Talk about the **roadmap**.'),
    'gift-ideas': note('Gift ideas', ['home'], 'A kite. A cookbook.'),
    passphrases: note('How to choose passphrases', ['work', 'security'], 'Six words that nobody quotes.'),
    'bike-repair': note('Bike repair', ['home'], 'New chain, and the light at the back.'),
    'trip-to-ulm': note('Trip to Ulm', ['travel'], 'Climb the minster: 768 steps.', true),
    recipe: note('Pancakes', ['home', 'cooking'], 'Two eggs, flour, milk, a pinch of salt.'),
    retro: note('Retrospective', ['work'], 'What went well? What did not?'),
  }),
};

const product = (title: string, price: number, state: string, category: string): JsonObject => ({
  ...{ title, price, state, category },
});

const SHOP: Example = {
  name: 'shop',
  title: 'Small shop',
  about: 'Two models: products refer to categories.',
  icon: 'package',
  definitions: [
    define('shop.example.com', 'Category', 'tags', [field('text', 'Title', TITLE), field('color', 'Colour')]),
    define('shop.example.com', 'Product', 'package', [
      field('text', 'Title', TITLE),
      field('number', 'Price', { ...SHOWN, isRequired: true, limits: { least: '0', most: '', pattern: '' } }),
      field('choice', 'State', { ...SHOWN, choices: ['draft', 'published', 'archived'], preset: 'draft' }),
      field('reference', 'Category', {
        isColumn: true,
        target: { group: 'shop.example.com', kind: 'Category', onDelete: 'restrict' },
      }),
      field('longText', 'Description', { isSearched: true }),
    ]),
  ],
  objects: [
    ...make('shop.example.com/v1', 'Category', {
      books: { title: 'Books', colour: '#4338ca' },
      kitchen: { title: 'Kitchen', colour: '#14683c' },
      garden: { title: 'Garden', colour: '#87480a' },
    }),
    ...make('shop.example.com/v1', 'Product', {
      atlas: product('Atlas of clouds', 39.9, 'published', 'books'),
      cookbook: product('Soups of the world', 24.5, 'published', 'books'),
      pan: product('Iron pan', 54, 'published', 'kitchen'),
      knife: product('Bread knife', 31, 'draft', 'kitchen'),
      spade: product('Small spade', 19.9, 'published', 'garden'),
      seeds: product('Sunflower seeds', 2.5, 'published', 'garden'),
      lantern: product('Lantern', 27, 'archived', 'garden'),
    }),
  ],
};

const meetup = (title: string, starts: string, place: string, speakers: readonly string[]): JsonObject => ({
  ...{ title, starts, place, speakers },
});

const EVENTS: Example = {
  name: 'events',
  title: 'Events',
  about: 'One model: meetups with a time, a place and speakers.',
  icon: 'calendar',
  definitions: [
    define('events.example.com', 'Meetup', 'calendar', [
      field('text', 'Title', TITLE),
      field('dateTime', 'Starts', { ...SHOWN, isRequired: true }),
      field('text', 'Place', SHOWN),
      field('texts', 'Speakers', SHOWN),
      field('url', 'Website'),
    ]),
  ],
  objects: make('events.example.com/v1', 'Meetup', {
    'databases-1': meetup('Databases in one file', '2027-01-14T18:00:00Z', 'Ulm', ['Ada', 'Ken']),
    'databases-2': meetup('Indexes by example', '2027-02-11T18:00:00Z', 'Ulm', ['Grace']),
    'design-1': meetup('Forms that people finish', '2027-01-21T17:30:00Z', 'Berlin', ['Margaret']),
    'design-2': meetup('Colour and contrast', '2027-02-18T17:30:00Z', 'Berlin', ['Linus', 'Ada']),
    'maps-1': meetup('Maps without servers', '2027-01-28T19:00:00Z', 'Online', ['Katherine']),
    'maps-2': meetup('Routing by bike', '2027-02-25T19:00:00Z', 'Online', ['Barbara']),
    'types-1': meetup('Types for people', '2027-03-04T18:00:00Z', 'Wien', ['Alan']),
    'types-2': meetup('Errors that help', '2027-04-01T18:00:00Z', 'Wien', ['Edsger', 'Grace']),
    'garden-1': meetup('Sensors in the garden', '2027-03-11T18:00:00Z', 'Ulm', ['Donald']),
    'summer-party': meetup('Summer party', '2027-06-24T16:00:00Z', 'Ulm', []),
  }),
};

export const EXAMPLES: readonly Example[] = [NOTES, SHOP, EVENTS];
