import { leadsTo } from '../editor/field-places.js';

/** What can be typed in, or pressed, of a field. */
const FOCUSABLE = 'input, select, textarea, a[href], button:enabled';

/** Gives the focus to a field of a form, or to the nearest one above it that is shown. */
export function leadToField(form: HTMLElement, field: string): void {
  const shown = [...form.querySelectorAll<HTMLElement>('[data-field]')].filter(({ dataset }) =>
    leadsTo(dataset.field ?? '', field),
  );
  // The path of a field is longer than those of the fields that it is in.
  const nearest = shown.reduce((a, b) => (getLength(b) > getLength(a) ? b : a), form);
  const input = nearest.querySelector<HTMLElement>(FOCUSABLE);
  input?.focus({ preventScroll: true });
  input?.scrollIntoView({ block: 'center' });
}

const getLength = ({ dataset }: HTMLElement): number => (dataset.field ?? '').length;
