import { useLayoutEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { t } from '../../../texts.js';
import { withoutConditions } from '../parameters.js';
import { getRequirements, withoutRequirement, type Requirement } from './requirements.js';

interface ChipsProps {
  readonly parameters: URLSearchParams;
  readonly onChange: (parameters: URLSearchParams) => void;
}

/** The conditions of the list, each removable: with the pointer, or with Delete on the focused one. */
export function Chips({ parameters, onChange }: ChipsProps): ReactNode {
  const list = useRef<HTMLUListElement>(null);
  const requirements = getRequirements(parameters);
  const removed = useRef<number>(undefined);
  // A button is removed with its chip: then the next one gets the focus.
  useLayoutEffect(() => {
    if (removed.current === undefined) return;
    const buttons = list.current?.querySelectorAll('button') ?? [];
    (buttons[Math.min(removed.current, requirements.length - 1)] ?? list.current)?.focus();
    removed.current = undefined;
  }, [requirements.length]);
  const remove = (requirement: Requirement, index: number): void => {
    removed.current = index;
    onChange(withoutRequirement(parameters, requirement));
  };
  const onKeyDown = (event: KeyboardEvent, requirement: Requirement, index: number): void => {
    if (event.key !== 'Delete' && event.key !== 'Backspace') return;
    event.preventDefault();
    remove(requirement, index);
  };
  return (
    <ul ref={list} className="chips row below" aria-label={t`Conditions`} tabIndex={-1}>
      {requirements.map((requirement, i) => (
        <li key={`${requirement.of} ${requirement.text}`} className="chip line">
          <code>{requirement.text}</code>
          <button
            type="button"
            className="quiet sign"
            aria-label={t`Remove ${requirement.text}`}
            onClick={() => remove(requirement, i)}
            onKeyDown={(event) => onKeyDown(event, requirement, i)}
          >
            <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
      {requirements.length > 1 && (
        <li>
          <button type="button" className="quiet" onClick={() => onChange(withoutConditions(parameters))}>
            {t`Remove all`}
          </button>
        </li>
      )}
    </ul>
  );
}
