import { useId, useState, type ReactNode } from 'react';
import { getPath, type Model, type ModelRef } from '../../../api/models.js';
import { KeptText } from '../../../lib/storage.js';
import { t } from '../../../texts.js';
import { CONDITIONS, NAME_PREFIX, SEARCH, withParameter, type Condition, type Fault } from '../parameters.js';
import { ConditionField } from './condition-field.js';
import { getFields } from './language.js';
import { formatText } from './requirements.js';
import { TypedField } from './typed-field.js';

interface ConditionsProps {
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  readonly parameters: URLSearchParams;
  readonly fault: Fault | undefined;
  /** Further controls beside those that are always shown. */
  readonly children?: ReactNode;
  readonly onChange: (parameters: URLSearchParams) => void;
}

/** The search by words and by name, and on request the fields for all other conditions of the list. They are stored in the URL. */
export function Conditions(props: ConditionsProps): ReactNode {
  const { modelRef, model, parameters, fault, onChange } = props;
  const id = useId();
  const isSearchable = model?.indexes.some(({ keyType }) => keyType === 'text') === true;
  const [isOpen, setIsOpen] = useIsOpen(fault);
  return (
    <div className="stack tight below" role="search">
      <div className="row">
        {(isSearchable || parameters.has(SEARCH)) && (
          <TypedField
            key={`${getPath(modelRef)} ${SEARCH}`}
            label={t`Search texts`}
            hint={t`words "side by side" -without`}
            value={parameters.get(SEARCH) ?? ''}
            problem={fault?.field === SEARCH ? fault.message : undefined}
            read={readWords}
            onApply={(words) => onChange(withParameter(parameters, SEARCH, words))}
          />
        )}
        <TypedField
          key={getPath(modelRef)}
          label={t`Name begins with`}
          value={parameters.get(NAME_PREFIX) ?? ''}
          read={readPrefix}
          onApply={(prefix) => onChange(withParameter(parameters, NAME_PREFIX, prefix))}
        />
        <button
          type="button"
          className="toggle"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setIsOpen(!isOpen)}
        >
          {t`More filters`}
        </button>
        {props.children}
      </div>
      {/* Typed text is kept while they are hidden. */}
      <div id={id} hidden={!isOpen}>
        <Fields {...props} />
      </div>
    </div>
  );
}

/** A blank after the last word says that the word is complete. */
function readWords(typed: string): string {
  return typed.trim() === '' ? '' : typed;
}

/** Names have lowercase letters only. */
function readPrefix(typed: string): string {
  return typed.trim().toLowerCase();
}

/** Enter applies one. */
function Fields({ modelRef, model, parameters, fault, onChange }: ConditionsProps): ReactNode {
  return (
    <div className="tiles tiles-narrow">
      {CONDITIONS.map((name) => (
        <ConditionField
          key={name}
          suggesting={{ name, modelRef, model, parameters }}
          value={formatText(parameters, name)}
          label={formatLabel(name)}
          hint={formatHint(name, model)}
          problem={fault?.field === name ? fault.message : undefined}
          onApply={(typed) => onChange(withParameter(parameters, name, typed))}
        />
      ))}
    </div>
  );
}

/** Users of selectors need them on every list. */
const kept = new KeptText('localStorage', 'xsvc-more-filters');
const OPEN = 'open';

/** A new fault opens the fields, so that its message is seen. */
function useIsOpen(fault: Fault | undefined): readonly [boolean, (isOpen: boolean) => void] {
  const [isOpen, setIsOpen] = useState(() => kept.get() === OPEN);
  const [known, setKnown] = useState<string>();
  if (fault?.message !== known) {
    setKnown(fault?.message);
    if (fault !== undefined && fault.field !== SEARCH) setIsOpen(true);
  }
  const choose = (chosen: boolean): void => {
    kept.set(chosen ? OPEN : undefined);
    setIsOpen(chosen);
  };
  return [isOpen, choose];
}

function formatLabel(name: Condition): string {
  if (name === 'labelSelector') return t`Label selector`;
  return name === 'filter' ? t`Filter` : t`Field selector`;
}

/** An example of a condition, with a field of the model. */
function formatHint(name: Condition, model: Model | undefined): string {
  const names = getFields(model).map((index) => index.name);
  const field = names.find((one) => !one.startsWith('metadata.')) ?? 'metadata.name';
  if (name === 'labelSelector') return t`env=prod, team in (a, b)`;
  return name === 'filter' ? t`has(${field})` : t`${field}=value`;
}
