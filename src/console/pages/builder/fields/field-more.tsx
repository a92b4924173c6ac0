import { useState, type ReactNode } from 'react';
import { objectAt } from '../../../lib/json.js';
import { t } from '../../../texts.js';
import { useBuilder } from '../builder-context.js';
import { HINTS, traitsOf } from '../draft/field-types.js';
import type { FieldDraft, Limits } from '../draft/model-draft.js';
import { fieldNameOf } from '../draft/names.js';
import { keptWords, limitWords } from '../draft/field-schema.js';
import { Line } from '../parts.js';

interface FieldMoreProps {
  readonly field: FieldDraft;
  readonly onChange: (field: FieldDraft) => void;
}

const PARTS = ['name', 'preset', 'least', 'most', 'pattern', 'description'];

/** The parts of a field that most people leave alone. */
export function FieldMore({ field, onChange }: FieldMoreProps): ReactNode {
  const { id, type, isMany, description, preset, limits } = field;
  const { problems, yamlHref } = useBuilder();
  const [isOpen, setIsOpen] = useState(false);
  const [least, most, pattern] = limitWords(type, isMany);
  const isFaulty = problems.some(({ fieldId, part }) => fieldId === id && PARTS.includes(part));
  const kept = keptWords(field);
  // They are changed as YAML.
  const titles = Object.entries(objectAt(objectAt(field.kept, HINTS), 'titles'));
  const line = (
    label: string,
    part: string,
    value: string,
    change: (typed: string) => Partial<FieldDraft>,
  ): ReactNode => (
    <Line
      label={label}
      value={value}
      fieldId={id}
      part={part}
      onChange={(typed) => onChange({ ...field, ...change(typed) })}
    />
  );
  const limit = (label: string, part: keyof Limits): ReactNode =>
    line(label, part, limits[part], (typed) => ({ limits: { ...limits, [part]: typed } }));
  const isLength = least === 'minLength';
  const isCount = least === 'minItems';
  return (
    <details
      open={isOpen || isFaulty || type === 'other'}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary>{t`More`}</summary>
      <div className="tiles tiles-narrow">
        {line(t`Description`, 'description', description, (typed) => ({ description: typed }))}
        {traitsOf(type).hasPreset === true &&
          line(t`Default`, 'preset', preset, (typed) => ({ preset: typed }))}
        {least !== undefined &&
          limit(isLength ? t`Least characters` : isCount ? t`Least items` : t`Least`, 'least')}
        {most !== undefined &&
          limit(isLength ? t`Most characters` : isCount ? t`Most items` : t`Most`, 'most')}
        {pattern !== undefined && limit(t`Pattern`, 'pattern')}
        {line(t`Name for programs`, 'name', fieldNameOf(field), (typed) => ({
          name: typed.trim() === '' ? undefined : typed.trim(),
        }))}
      </div>
      {titles.length > 0 && (
        <p className="faint">
          {t`In other languages:`} {titles.map(([tag, title]) => `${tag}: ${String(title)}`).join(', ')}
        </p>
      )}
      {kept.length > 0 && (
        <p className="faint">
          {t`Kept as YAML:`} <code>{kept.join(', ')}</code>{' '}
          {yamlHref !== undefined && <a href={yamlHref}>{t`Open the YAML`}</a>}
        </p>
      )}
    </details>
  );
}
