import { use, type ReactNode } from 'react';
import { FormContext } from '../form-state.js';
import { MarkdownInput } from '../markdown/markdown-input.js';
import type { OneProps } from '../parts.js';
import type { ScalarShape } from '../shape/shape.js';
import { ChoiceInput, SwitchInput } from './choice-input.js';
import { NumberInput, SliderInput, WholeOrTextInput } from './number-input.js';
import { ReferencePicker } from './reference-picker.js';
import { ColorInput, PasswordInput, TextInput, UrlInput } from './text-input.js';
import { TimeInput } from './time-input.js';
import { formatText, orNothing } from './values.js';

interface ScalarInputProps extends OneProps {
  readonly shape: ScalarShape;
  readonly isRequired: boolean;
}

const LINKS: readonly unknown[] = ['uri', 'url', 'email'];

/** An input for one value. Input that does not match the type remains text. */
export function ScalarInput({ shape, isRequired, ...one }: ScalarInputProps): ReactNode {
  // A dialog uses inputs without a form, too.
  const isReadOnly = use(FormContext)?.isReadOnly ?? false;
  const { kind, choices, target, schema, widget } = shape;
  if (choices !== undefined) return <ChoiceInput choices={choices} isRequired={isRequired} {...one} />;
  if (target !== undefined)
    return (
      <ReferencePicker
        target={target}
        value={formatText(one.value)}
        input={one.input}
        isReadOnly={isReadOnly}
        hasLinks
        onChange={(typed) => one.onChange(orNothing(typed))}
      />
    );
  switch (kind === 'text' ? widget : kind) {
    case 'boolean':
      return <SwitchInput {...one} />;
    case 'integer':
    case 'number':
      return widget === 'slider' ? <SliderInput schema={schema} {...one} /> : <NumberInput {...one} />;
    case 'integer-or-text':
      return <WholeOrTextInput {...one} />;
    case 'date':
    case 'date-time':
      return <TimeInput hasTime={kind === 'date-time'} {...one} />;
    case 'color':
      return <ColorInput {...one} />;
    case 'password':
      return <PasswordInput {...one} />;
    case 'image':
      return <UrlInput isImage {...one} />;
    case 'markdown':
      return <MarkdownInput isReadOnly={isReadOnly} {...one} />;
    case 'multiline':
    case 'code':
      return <TextInput isLong isCode={widget === 'code'} {...one} />;
    default:
      return LINKS.includes(schema.format) ? <UrlInput {...one} /> : <TextInput {...one} />;
  }
}
