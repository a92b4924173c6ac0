import { useId, useMemo, useState, type ReactNode } from 'react';
import type { Model } from '../../../api/models.js';
import { formatBytes } from '../../../lib/format.js';
import { DialogFrame } from '../../../parts/dialogs/dialog-frame.js';
import { Choice } from '../../../parts/field.js';
import { ErrorNotice, Notice } from '../../../parts/notice.js';
import { getModelTitle } from '../../../lib/naming.js';
import { t } from '../../../texts.js';
import { iterateParts, type Work } from '../bulk/run.js';
import { Report, RunView } from '../bulk/run-view.js';
import { useRun } from '../bulk/use-run.js';
import { findSeparator, parseCsv } from './csv-records.js';
import { getImportFields, getObject, guessMapping } from './mapping.js';
import { prepare, type Prepared } from './prepare.js';
import { findFormat, readNdjson, readYaml, type ImportFormat, type ReadObjects } from './read-objects.js';
import { readText } from './read-text.js';

interface ImportDialogProps {
  readonly model: Model;
  readonly onClose: () => void;
}

interface SourceText {
  /** Of the file; empty for a pasted text. */
  readonly name: string;
  readonly text: string;
}

const FORMATS: readonly (readonly [ImportFormat, string])[] = [
  ['csv', 'CSV'],
  ['ndjson', 'NDJSON'],
  ['yaml', 'YAML, JSON'],
];

const formatImported = (count: number): string => t`${count} imported`;

/** Creates and updates objects from a file or a pasted text, after a trial. */
export default function ImportDialog({ model, onClose }: ImportDialogProps): ReactNode {
  const [source, setSource] = useState<SourceText>({ name: '', text: '' });
  const [chosen, setChosen] = useState<ImportFormat>();
  const [paths, setPaths] = useState<readonly (string | undefined)[]>();
  const [prepared, setPrepared] = useState<Prepared>();
  const [problem, setProblem] = useState<unknown>(null);
  const run = useRun(formatImported, onClose);
  const { stage } = run;
  const { name, text } = source;
  const format = chosen ?? findFormat(name, text);
  const fields = useMemo(() => getImportFields(model), [model]);
  const [head, ...rows] = useMemo(
    () => (format === 'csv' ? parseCsv(text, findSeparator(text)) : []),
    [format, text],
  );
  const mapping = paths ?? guessMapping(head?.cells ?? [], fields);
  const reset = (): void => {
    setPrepared(undefined);
    setProblem(null);
  };
  const read = (): ReadObjects | Promise<ReadObjects> => {
    if (format === 'yaml') return readYaml(text);
    if (format === 'ndjson') return readNdjson(text);
    const objects = rows.map(({ line, cells }) => ({ line, object: getObject(model, mapping, cells) }));
    return { objects, problems: [] };
  };
  const begin = async (isTrial: boolean, stop: AbortSignal): Promise<Work | undefined> => {
    reset();
    const now = await prepare(model, await read(), stop);
    setPrepared(now);
    const { items } = now;
    if (items.size === 0) return undefined;
    return { names: () => iterateParts([...items.keys()]), getItem: (key) => items.get(key) ?? {}, isTrial };
  };
  const choose = (given: SourceText): void => {
    reset();
    setPaths(undefined);
    setSource(given);
  };
  const isEmpty = text.trim() === '';
  const start = (isTrial: boolean): void => {
    if (!isEmpty) run.start((stop) => begin(isTrial, stop));
  };
  const error = problem ?? (stage.is === 'asking' ? stage.error : null);
  return (
    <DialogFrame
      title={t`Import ${getModelTitle(model)}`}
      onClose={stage.is === 'running' ? undefined : onClose}
    >
      <RunView run={run} of={prepared?.items.size ?? 0} verb={formatImported} onClose={onClose} />
      {stage.is === 'asking' && (
        <>
          <Source
            source={source}
            onText={choose}
            onFile={(file) =>
              void readText(file)
                .then((content) => choose({ name: file.name, text: content }))
                .catch(setProblem)
            }
          />
          <Choice
            label={t`Format`}
            value={format}
            choices={FORMATS}
            className="line"
            onChange={(value) => {
              reset();
              setChosen(FORMATS.find(([one]) => one === value)?.[0]);
            }}
          />
          {head !== undefined && (
            <section className="stack tight tall" aria-label={t`Columns`}>
              {head.cells.map((title, i) => (
                <Choice
                  key={i}
                  label={title === '' ? t`column ${String(i + 1)}` : title}
                  value={mapping[i] ?? ''}
                  choices={[
                    ['', t`leave out`],
                    ...fields.map((field) => [field.path, `${field.title} (${field.path})`] as const),
                  ]}
                  className="import-dialog-column"
                  onChange={(path) => {
                    reset();
                    setPaths(mapping.with(i, path === '' ? undefined : path));
                  }}
                />
              ))}
            </section>
          )}
          {error !== null && <ErrorNotice error={error} />}
          {prepared !== undefined && <Outlook prepared={prepared} />}
          {stage.trial !== undefined && (
            <Report ended={stage.trial} verb={(count) => t`${count} would be imported`} />
          )}
          <div className="actions">
            <button type="button" onClick={onClose}>
              {t`Cancel`}
            </button>
            <button type="button" aria-disabled={isEmpty} onClick={() => start(true)}>
              {t`Try without saving`}
            </button>
            <button type="button" className="primary" aria-disabled={isEmpty} onClick={() => start(false)}>
              {t`Import`}
            </button>
          </div>
        </>
      )}
    </DialogFrame>
  );
}

interface SourceProps {
  readonly source: SourceText;
  readonly onText: (source: SourceText) => void;
  readonly onFile: (file: File) => void;
}

/** Longer texts are not displayed: an input with them would be slow. */
const SHOWN_MAX = 100_000;

/** A file, or a pasted text. */
function Source({ source: { name, text }, onText, onFile }: SourceProps): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={`${id}-file`}>{t`File`}</label>
      <input
        id={`${id}-file`}
        type="file"
        accept=".csv,.tsv,.txt,.ndjson,.jsonl,.yaml,.yml,.json"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file !== undefined) onFile(file);
        }}
      />
      {text.length > SHOWN_MAX ? (
        <p className="faint">{`${name} ${formatBytes(text.length)}`}</p>
      ) : (
        <>
          <label htmlFor={id}>{t`or text`}</label>
          <textarea
            id={id}
            rows={5}
            spellCheck={false}
            className="mono"
            value={text}
            onChange={({ target }) => onText({ name: '', text: target.value })}
          />
        </>
      )}
    </div>
  );
}

/** The most problems that are listed. */
const PROBLEMS_MAX = 20;

function Outlook({ prepared: { created, updated, problems } }: { readonly prepared: Prepared }): ReactNode {
  return (
    <Notice
      tone={problems.length === 0 ? 'good' : 'attention'}
      title={t`${created} new · ${updated} existing · ${problems.length} left out`}
    >
      {problems.length > 0 && (
        <ul className="tall" tabIndex={0} aria-label={t`Left out`}>
          {problems.slice(0, PROBLEMS_MAX).map(({ line, message }, i) => (
            <li key={i}>
              {t`line ${String(line)}`}: {message}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
