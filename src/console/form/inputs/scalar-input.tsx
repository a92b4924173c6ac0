import { use, type ReactNode } from 'react';
import { FormContext } from '../form-state.js';
import type { OneProps } from '../parts.js';
import type { ScalarShape } from '../shape/shape.js';
import { ChoiceInput } from './choice-input.js';
import { ColorInput } from './color-input.js';
import { NumberInput, SliderInput, WholeOrTextInput } from './number-input.js';
import { PasswordInput } from './password-input.js';
import { ReferencePicker } from './reference-picker.js';
import { SwitchInput } from './switch-input.js';
import { TextInput, UrlInput } from './text-input.js';
import { DateInput, TimeInput } from './time-input.js';
import { formatText, orNothing } from './values.js';

interface ScalarInputProps extends OneProps {
  readonly shape: ScalarShape;
  readonly isRequired: boolean;
}

/** An input for one value. Input that does not match the type remains text. */
export function ScalarInput({ shape, isRequired, ...one }: ScalarInputProps): ReactNode {
  // A dialog uses inputs without a form, too.
  const isReadOnly = use(FormContext)?.isReadOnly ?? false;
  const { value, input, onChange } = one;
  const { choices, target, schema, widget } = shape;
  if (choices !== undefined) return <ChoiceInput choices={choices} isRequired={isRequired} {...one} />;
  if (target !== undefined)
    return (
      <ReferencePicker
        target={target}
        value={formatText(value)}
        input={input}
        isReadOnly={isReadOnly}
        hasLinks
        onChange={(typed) => onChange(orNothing(typed))}
      />
    );
  switch (shape.kind) {
    case 'boolean':
      return <SwitchInput {...one} />;
    case 'integer':
    case 'number':
      return widget === 'slider' ? <SliderInput schema={schema} {...one} /> : <NumberInput {...one} />;
    case 'integer-or-text':
      return <WholeOrTextInput {...one} />;
    case 'date-time':
      return <TimeInput {...one} />;
    case 'date':
      return <DateInput {...one} />;
    case 'text':
      return <Text shape={shape} {...one} />;
  }
}

function Text({ shape, ...one }: OneProps & { readonly shape: ScalarShape }): ReactNode {
  const { widget, schema } = shape;
  switch (widget) {
    case 'color':
      return <ColorInput {...one} />;
    case 'password':
      return <PasswordInput {...one} />;
    case 'image':
      return <UrlInput isImage {...one} />;
    case 'markdown':
    case 'multiline':
    case 'code':
      return <TextInput isLong isCode={widget === 'code'} {...one} />;
    default:
      return LINKS.includes(schema.format) ? <UrlInput {...one} /> : <TextInput {...one} />;
  }
}

const LINKS: readonly unknown[] = ['uri', 'url', 'email'];
