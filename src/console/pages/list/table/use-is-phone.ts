import { useEvent } from '../../../lib/use-event.js';

const PHONE = matchMedia('(width < 40rem)');

/** True while the window is too narrow for a table. */
export function useIsPhone(): boolean {
  return useEvent(PHONE, 'change', () => PHONE.matches);
}
