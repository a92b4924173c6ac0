import { createContext, use } from 'react';
import type { View } from '../../routes/route.js';

/** The place of a displayed object: a page, or a drawer over its list. */
export interface RecordFrame {
  readonly isDrawer: boolean;
  /** The URL of a view of the object in this place. */
  readonly getHref: (view: View) => string;
  /** The URLs of its neighbours in the list; undefined at the ends, and on a page. */
  readonly previous?: string | undefined;
  readonly next?: string | undefined;
  /** The URL without the object. */
  readonly closed: string;
}

export const RecordFrameContext = createContext<RecordFrame | undefined>(undefined);

/** @throws Error outside of a page of an object */
export function useRecordFrame(): RecordFrame {
  const frame = use(RecordFrameContext);
  if (frame === undefined) throw new Error('an object is displayed only in a frame');
  return frame;
}
