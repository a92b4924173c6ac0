import { useId, useState, type ReactNode } from 'react';
import { Notes } from '../../../parts/field.js';
import { SignButton } from '../../../parts/icon.js';
import { t } from '../../../texts.js';
import { useProblemsOf } from '../builder-context.js';
import type { FieldDraft } from '../draft/model-draft.js';

interface ChoicesInputProps {
  readonly field: FieldDraft;
  readonly onChange: (choices: readonly string[]) => void;
}

/** The values of a choice as chips. Enter and comma end a value. */
export function ChoicesInput({ field: { id, choices }, onChange }: ChoicesInputProps): ReactNode {
  const inputId = useId();
  const [typed, setTyped] = useState('');
  const messages = useProblemsOf(id, 'choices');
  const add = (text: string): void => {
    const found = text.split(/[,\n]/).map((one) => one.trim());
    const added = [...new Set([...choices, ...found.filter((one) => one !== '')])];
    setTyped('');
    if (added.length > choices.length) onChange(added);
  };
  return (
    <div className="field">
      <label htmlFor={inputId}>{t`Values`}</label>
      <div className="choices-input">
        {choices.map((choice) => (
          <span key={choice} className="choices-input-chip line">
            <bdi>{choice}</bdi>
            <SignButton
              icon="close"
              label={t`Remove ${choice}`}
              onPress={() => onChange(choices.filter((one) => one !== choice))}
            />
          </span>
        ))}
        <input
          id={inputId}
          value={typed}
          dir="auto"
          autoComplete="off"
          placeholder={t`Type a value and press Enter`}
          aria-invalid={messages.length > 0}
          aria-describedby={`${inputId}-notes`}
          onChange={({ target }) => (target.value.includes(',') ? add(target.value) : setTyped(target.value))}
          onBlur={() => add(typed)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') {
              event.preventDefault();
              add(typed);
            } else if (event.key === 'Backspace' && typed === '') onChange(choices.slice(0, -1));
          }}
        />
      </div>
      <Notes id={`${inputId}-notes`} messages={messages} />
    </div>
  );
}
