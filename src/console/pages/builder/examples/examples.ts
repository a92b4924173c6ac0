import type { JsonObject } from '../../../lib/json.js';
import content from './examples.json' with { type: 'json' };

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

export const EXAMPLES: readonly Example[] = [
  {
    name: 'notes',
    title: 'Notes',
    about: 'One model: notes with formatted text and tags.',
    icon: 'receipt',
    ...content.notes,
  },
  {
    name: 'shop',
    title: 'Small shop',
    about: 'Two models: products refer to categories.',
    icon: 'package',
    ...content.shop,
  },
  {
    name: 'events',
    title: 'Events',
    about: 'One model: meetups with a time, a place and speakers.',
    icon: 'calendar',
    ...content.events,
  },
];
