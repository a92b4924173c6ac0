import type { ReactNode } from 'react';
import type { Model } from '../../api/models.js';
import { t } from '../../texts.js';

/** True when one of the model's names contains the typed text. */
export function isMeant({ plural, kind, group }: Model, typed: string): boolean {
  const wanted = typed.trim().toLowerCase();
  return `${plural} ${kind} ${plural}.${group}`.toLowerCase().includes(wanted);
}

interface ModelSearchProps {
  readonly typed: string;
  readonly onType: (typed: string) => void;
}

/** A field to find a model by its name. */
export function ModelSearch({ typed, onType }: ModelSearchProps): ReactNode {
  return (
    <input
      type="search"
      className="model-search"
      aria-label={t`Find a model`}
      placeholder={t`Find a model`}
      autoComplete="off"
      spellCheck={false}
      value={typed}
      onChange={({ target }) => onType(target.value)}
    />
  );
}
