import { leadsTo } from '../editor/document.js';

const FOCUSABLE = 'input:enabled, select, textarea, button:enabled, a[href]';

/** Focuses a field of a form, or its nearest displayed parent. */
export function leadToField(form: HTMLElement, field: string): void {
  const shown = [...form.querySelectorAll<HTMLElement>('[data-field]')].filter(({ dataset }) =>
    leadsTo(dataset.field ?? '', field),
  );
  // The path of a field is longer than those of its parents.
  const nearest = shown.reduce((a, b) => (getLength(b) > getLength(a) ? b : a), form);
  nearest.closest('details')?.setAttribute('open', '');
  const input = nearest.querySelector<HTMLElement>(FOCUSABLE);
  input?.focus({ preventScroll: true });
  (input ?? nearest).scrollIntoView({ block: 'center' });
}

const getLength = ({ dataset }: HTMLElement): number => (dataset.field ?? '').length;
