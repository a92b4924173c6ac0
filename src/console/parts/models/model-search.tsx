import type { ReactNode } from 'react';
import type { Model } from '../../api/models.js';
import { hasTyped } from '../../lib/naming.js';
import { t } from '../../texts.js';
import { SearchField } from '../field.js';

/** True when one of the model's names contains the typed text. */
export function isMeant({ plural, kind, group }: Model, typed: string): boolean {
  return hasTyped(`${plural} ${kind} ${plural}.${group}`, typed);
}

interface ModelSearchProps {
  readonly typed: string;
  readonly onType: (typed: string) => void;
}

/** A field to find a model by its name. */
export function ModelSearch(props: ModelSearchProps): ReactNode {
  return <SearchField label={t`Find a model`} {...props} />;
}
