import { useState, type ReactNode } from 'react';
import { Segmented } from '../../parts/choices/segmented.js';
import { Section } from '../../parts/section.js';
import { t } from '../../texts.js';
import { useBuilder } from './builder-context.js';
import type { ModelDraft, ModelNames } from './draft/model-draft.js';
import { Line } from './parts.js';

/** Icons that stand for things, not for actions. */
const ICONS = [
  ...['box', 'package', 'tags', 'users', 'user', 'receipt', 'calendar', 'folder', 'list', 'image', 'mail'],
  ...['globe', 'bell', 'chart', 'key', 'link', 'settings', 'webhook', 'plug', 'palette', 'home'],
];

interface ModelCardProps {
  readonly draft: ModelDraft;
  readonly names: ModelNames;
  readonly onChange: (draft: ModelDraft) => void;
}

const PARTS: readonly (keyof ModelNames)[] = ['kind', 'plural', 'singular', 'group', 'version'];

/** The name of the thing; the names for programs are below. */
export function ModelCard({ draft, names, onChange }: ModelCardProps): ReactNode {
  const { problems } = useBuilder();
  const [isOpen, setIsOpen] = useState(false);
  const isFaulty = problems.some(
    ({ fieldId, part }) => fieldId === undefined && PARTS.some((one) => one === part),
  );
  const icon = draft.icon === '' ? 'box' : draft.icon;
  return (
    <Section title={t`What is it?`}>
      <div className="stack tight">
        <Line
          label={t`What is one object called?`}
          value={draft.title}
          part="title"
          placeholder={t`For example Product`}
          onChange={(title) => onChange({ ...draft, title })}
        />
        <details open={isOpen || isFaulty} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
          <summary>
            {t`Details`}{' '}
            <span className="faint">
              {names.kind !== '' && <code>{`${names.plural}.${names.group}/${names.version}`}</code>}
            </span>
          </summary>
          <div className="tiles tiles-narrow">
            {draft.stored !== undefined ? (
              <p className="faint">{t`The names for programs cannot change after the model is made.`}</p>
            ) : (
              <Names draft={draft} names={names} onChange={onChange} />
            )}
            <Line
              label={t`Heading in the navigation`}
              value={draft.heading}
              part="heading"
              placeholder={t`For example Shop`}
              onChange={(heading) => onChange({ ...draft, heading })}
            />
          </div>
          <Segmented
            label={t`Icon`}
            value={icon}
            choices={[...new Set([...ICONS, icon])].map((one) => [one, one])}
            hasIcons
            onChange={(chosen) => onChange({ ...draft, icon: chosen })}
          />
        </details>
      </div>
    </Section>
  );
}

function Names({ draft, names, onChange }: ModelCardProps): ReactNode {
  const labels: Readonly<Record<keyof ModelNames, string>> = {
    kind: t`Kind`,
    plural: t`Plural`,
    singular: t`Singular`,
    group: t`Group`,
    version: t`Version`,
  };
  return PARTS.map((part) => (
    <Line
      key={part}
      label={labels[part]}
      value={names[part]}
      part={part}
      note={part === 'group' ? t`A domain of yours. It keeps names of models apart.` : undefined}
      onChange={(typed) => {
        const { [part]: _, ...others } = draft.names;
        onChange({ ...draft, names: typed === '' ? others : { ...others, [part]: typed } });
      }}
    />
  ));
}
