import { createContext, use } from 'react';
import type { Model, ModelRef } from '../../api/models.js';
import type { StoredObject } from '../../api/objects.js';
import type { View } from '../../routes/route.js';

/** The address of a displayed object, and its place: a page, or a drawer over its list. */
export interface RecordPlace {
  readonly modelRef: ModelRef;
  readonly name: string;
  readonly view: View;
  /** A tab of a plugin in place of the view: `<plugin>/<file>`. */
  readonly tab?: string | undefined;
  readonly isDrawer?: boolean;
  /** The URL of a view of the object in this place. */
  readonly getHref: (view: View) => string;
  /** The URLs of its neighbours in the list; undefined at the ends, and on a page. */
  readonly previous?: string | undefined;
  readonly next?: string | undefined;
  readonly closed: string;
}

interface OpenRecord extends RecordPlace {
  readonly model: Model | undefined;
  /** Undefined when it does not exist. */
  readonly live: StoredObject | undefined;
}

export const RecordContext = createContext<OpenRecord | undefined>(undefined);

/** @throws Error outside of a page of an object */
export function useRecord(): OpenRecord {
  const record = use(RecordContext);
  if (record === undefined) throw new Error('an object is displayed only in a record');
  return record;
}
