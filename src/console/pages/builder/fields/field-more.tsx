import { useState, type ReactNode } from 'react';
import { t } from '../../../texts.js';
import { useBuilder } from '../builder-context.js';
import { traitsOf } from '../draft/field-types.js';
import type { FieldDraft } from '../draft/model-draft.js';
import { fieldNameOf } from '../draft/names.js';
import { keptWords } from '../draft/read-field.js';
import { limitWords } from '../draft/write-field.js';
import { Line } from '../parts.js';

interface FieldMoreProps {
  readonly field: FieldDraft;
  readonly onChange: (field: FieldDraft) => void;
}

const PARTS = ['name', 'preset', 'least', 'most', 'pattern', 'description'];

/** The parts of a field that most people leave alone. */
export function FieldMore({ field, onChange }: FieldMoreProps): ReactNode {
  const { id, type, isMany, name, description, preset, limits } = field;
  const { problems, yamlHref } = useBuilder();
  const [isOpen, setIsOpen] = useState(false);
  const [least, most, pattern] = limitWords(type, isMany);
  const isFaulty = problems.some(({ fieldId, part }) => fieldId === id && PARTS.includes(part));
  const kept = keptWords(field);
  const limit = (part: keyof typeof limits, label: string): ReactNode => (
    <Line
      label={label}
      value={limits[part]}
      fieldId={id}
      part={part}
      onChange={(typed) => onChange({ ...field, limits: { ...limits, [part]: typed } })}
    />
  );
  const isLength = least === 'minLength';
  const isCount = least === 'minItems';
  return (
    <details
      className="field-more"
      open={isOpen || isFaulty || type === 'other'}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary>{t`More`}</summary>
      <div className="builder-grid">
        <Line
          label={t`Description`}
          value={description}
          fieldId={id}
          part="description"
          onChange={(typed) => onChange({ ...field, description: typed })}
        />
        {traitsOf(type).hasPreset === true && (
          <Line
            label={t`Default`}
            value={preset}
            fieldId={id}
            part="preset"
            onChange={(typed) => onChange({ ...field, preset: typed })}
          />
        )}
        {least !== undefined &&
          limit('least', isLength ? t`Least characters` : isCount ? t`Least items` : t`Least`)}
        {most !== undefined &&
          limit('most', isLength ? t`Most characters` : isCount ? t`Most items` : t`Most`)}
        {pattern !== undefined && limit('pattern', t`Pattern`)}
        <Line
          label={t`Name for programs`}
          value={name ?? fieldNameOf(field)}
          fieldId={id}
          part="name"
          onChange={(typed) => onChange({ ...field, name: typed.trim() === '' ? undefined : typed.trim() })}
        />
      </div>
      {kept.length > 0 && (
        <p className="faint">
          {t`Kept as YAML:`} <code>{kept.join(', ')}</code>{' '}
          {yamlHref !== undefined && <a href={yamlHref}>{t`Open the YAML`}</a>}
        </p>
      )}
    </details>
  );
}
