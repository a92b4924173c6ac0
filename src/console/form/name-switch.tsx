import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { text } from '../texts.js';
import { useForm } from './form-state.js';
import { leadToField } from './lead-to-field.js';
import type { Naming } from './shape.js';

const NAME = ['metadata', 'name'];
const PREFIX = ['metadata', 'generateName'];

/** Below the name of a new object: whether its maker chooses it, or the service does. */
export function NameSwitch({ naming }: { readonly naming: Naming }): ReactNode {
  const { change, prefix } = useForm();
  const toOther = (button: HTMLElement): void => {
    const form = button.closest<HTMLElement>('.object-form');
    const isChosen = naming === 'chosen';
    flushSync(() =>
      change([
        [NAME, isChosen ? undefined : ''],
        [PREFIX, isChosen ? prefix : undefined],
      ]),
    );
    if (form !== null) leadToField(form, (isChosen ? PREFIX : NAME).join('.'));
  };
  return (
    <button type="button" className="quiet add" onClick={({ currentTarget }) => toOther(currentTarget)}>
      {naming === 'chosen' ? text.form.generate : text.form.chooseName}
    </button>
  );
}
