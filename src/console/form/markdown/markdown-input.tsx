import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { Toolbar } from 'react-aria-components';
import { SignButton, type IconName } from '../../parts/icon.js';
import { lazyPart } from '../../parts/lazy-part.js';
import { t } from '../../texts.js';
import { formatText, orNothing } from '../inputs/values.js';
import type { OneProps } from '../parts.js';
import { MARKS, type MarkName } from './markdown-edit.js';

const MarkdownView = lazyPart(async () => ({ default: (await import('./markdown-view.js')).MarkdownView }));

interface MarkdownInputProps extends OneProps {
  /** True: the text is shown as its readers see it. */
  readonly isReadOnly: boolean;
}

/** A text in Markdown, with buttons for its marks and a preview. */
export function MarkdownInput({ value, input, isReadOnly, onChange }: MarkdownInputProps): ReactNode {
  const text = formatText(value);
  const [isPreview, setIsPreview] = useState(isReadOnly);
  const area = useRef<HTMLTextAreaElement>(null);
  const mark = (name: MarkName): void => {
    if (area.current === null) return;
    const { selectionStart, selectionEnd } = area.current;
    const changed = MARKS[name]({ text, start: selectionStart, end: selectionEnd });
    flushSync(() => onChange(orNothing(changed.text)));
    area.current.focus();
    area.current.setSelectionRange(changed.start, changed.end);
  };
  return (
    <div className="markdown">
      <div className="line spread">
        <Toolbar aria-label={t`Format ${input['aria-label']}`} className="line">
          {BUTTONS.map(({ name, icon, getLabel }) => (
            <SignButton
              key={name}
              icon={icon}
              label={getLabel()}
              isDisabled={isPreview || isReadOnly}
              onPress={() => mark(name)}
            />
          ))}
        </Toolbar>
        <button
          type="button"
          className="quiet"
          aria-pressed={isPreview}
          aria-label={t`Preview ${input['aria-label']}`}
          onClick={() => setIsPreview(!isPreview)}
        >
          {isPreview ? t`Edit` : t`Preview`}
        </button>
      </div>
      {isPreview ? (
        <div className="markdown-preview" id={input.id} role="group" aria-label={input['aria-label']}>
          <MarkdownView text={text} />
        </div>
      ) : (
        <textarea
          {...input}
          ref={area}
          value={text}
          dir="auto"
          autoComplete="off"
          className="form-long"
          rows={5}
          onKeyDown={(event) => {
            const name = findMark(event);
            if (name === undefined) return;
            event.preventDefault();
            mark(name);
          }}
          onChange={({ target }) => onChange(orNothing(target.value))}
        />
      )}
    </div>
  );
}

interface MarkButton {
  readonly name: MarkName;
  readonly icon: IconName;
  readonly getLabel: () => string;
}

const BUTTONS: readonly MarkButton[] = [
  { name: 'bold', icon: 'bold', getLabel: () => t`Bold` },
  { name: 'italic', icon: 'italic', getLabel: () => t`Italic` },
  { name: 'heading', icon: 'heading', getLabel: () => t`Heading` },
  { name: 'list', icon: 'list', getLabel: () => t`List` },
  { name: 'steps', icon: 'steps', getLabel: () => t`Numbered list` },
  { name: 'quote', icon: 'quote', getLabel: () => t`Quote` },
  { name: 'code', icon: 'braces', getLabel: () => t`Code` },
  { name: 'link', icon: 'link', getLabel: () => t`Link` },
];

const KEYS: Readonly<Record<string, MarkName>> = { b: 'bold', i: 'italic' };

function findMark({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): MarkName | undefined {
  if (ctrlKey === metaKey || shiftKey || altKey) return undefined;
  return KEYS[key.toLowerCase()];
}
