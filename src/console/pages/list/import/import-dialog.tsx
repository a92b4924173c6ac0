import { useMemo, useState, type ReactNode } from 'react';
import type { Model } from '../../../api/models.js';
import { DialogFrame } from '../../../parts/dialogs/dialog-frame.js';
import { Choice } from '../../../parts/field.js';
import { ErrorNotice, Notice } from '../../../parts/notice.js';
import { t } from '../../../texts.js';
import { Progress, Report } from '../bulk/bulk-dialog.js';
import { useRun } from '../bulk/use-run.js';
import { findSeparator, parseCsv } from './csv-records.js';
import { getImportFields, getObject, guessMapping } from './mapping.js';
import { getParts, prepare, type Prepared } from './prepare.js';
import { findFormat, readNdjson, readYaml, type ImportFormat, type ReadObjects } from './read-objects.js';
import { readText } from './read-text.js';
import { Source, type SourceText } from './source.js';

interface ImportDialogProps {
  readonly model: Model;
  readonly onClose: () => void;
}

const FORMATS: readonly (readonly [ImportFormat, string])[] = [
  ['csv', 'CSV'],
  ['ndjson', 'NDJSON'],
  ['yaml', 'YAML, JSON'],
];

/** Creates and updates objects from a file or a pasted text, after a trial. */
export default function ImportDialog({ model, onClose }: ImportDialogProps): ReactNode {
  const [source, setSource] = useState<SourceText>({ name: '', text: '' });
  const [chosen, setChosen] = useState<ImportFormat>();
  const [paths, setPaths] = useState<readonly (string | undefined)[]>();
  const [prepared, setPrepared] = useState<Prepared>();
  const [problem, setProblem] = useState<unknown>(null);
  const { stage, start, stop } = useRun((count) => t`${count} imported`, onClose);
  const format = chosen ?? findFormat(source.name, source.text);
  const fields = useMemo(() => getImportFields(model), [model]);
  const records = useMemo(
    () => (format === 'csv' ? parseCsv(source.text, findSeparator(source.text)) : []),
    [format, source.text],
  );
  const [head, ...rows] = records;
  const mapping = paths ?? guessMapping(head?.cells ?? [], fields);
  const reset = (): void => {
    setPrepared(undefined);
    setProblem(null);
  };
  const read = async (): Promise<ReadObjects> => {
    if (format === 'yaml') return readYaml(source.text);
    if (format === 'ndjson') return readNdjson(source.text);
    const objects = rows.map(({ line, cells }) => ({ line, object: getObject(model, mapping, cells) }));
    return { objects, problems: [] };
  };
  const go = async (isTrial: boolean): Promise<void> => {
    try {
      const now = await prepare(model, await read(), new AbortController().signal);
      setPrepared(now);
      if (now.items.size === 0) return;
      start({
        names: () => getParts(now),
        getItem: (key) => now.items.get(key) ?? {},
        isTrial,
      });
    } catch (error) {
      setProblem(error);
    }
  };
  const choose = (given: SourceText): void => {
    reset();
    setPaths(undefined);
    setSource(given);
  };
  const isEmpty = source.text.trim() === '';
  return (
    <DialogFrame title={t`Import ${model.plural}`} onClose={stage.is === 'running' ? undefined : onClose}>
      {stage.is === 'running' && (
        <>
          <Progress done={stage.done} of={prepared?.items.size ?? 0} />
          <div className="actions">
            <button type="button" autoFocus disabled={stage.isStopping} onClick={stop}>
              {t`Stop`}
            </button>
          </div>
        </>
      )}
      {stage.is === 'ended' && (
        <>
          <Report ended={stage.ended} verb={(count) => t`${count} imported`} />
          <div className="actions">
            <button type="button" autoFocus onClick={onClose}>
              {t`Close`}
            </button>
          </div>
        </>
      )}
      {stage.is === 'asking' && (
        <>
          <Source
            source={source}
            onText={choose}
            onFile={(file) =>
              void readText(file)
                .then((text) => choose({ name: file.name, text }))
                .catch((error: unknown) => setProblem(error))
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
          {format === 'csv' && head !== undefined && (
            <section className="import-dialog-mapping" aria-label={t`Columns`}>
              {head.cells.map((name, i) => (
                <Choice
                  key={i}
                  label={name === '' ? t`column ${String(i + 1)}` : name}
                  value={mapping[i] ?? ''}
                  choices={[
                    ['', t`leave out`],
                    ...fields.map(({ path, title }) => [path, `${title} (${path})`] as const),
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
          {(problem ?? stage.error) !== null && <ErrorNotice error={problem ?? stage.error} />}
          {prepared !== undefined && <Outlook prepared={prepared} />}
          {stage.trial !== undefined && (
            <Report ended={stage.trial} verb={(count) => t`${count} would be imported`} />
          )}
          <div className="actions">
            <button type="button" onClick={onClose}>
              {t`Cancel`}
            </button>
            <button type="button" aria-disabled={isEmpty} onClick={() => !isEmpty && void go(true)}>
              {t`Try without saving`}
            </button>
            <button
              type="button"
              className="primary"
              aria-disabled={isEmpty}
              onClick={() => !isEmpty && void go(false)}
            >
              {t`Import`}
            </button>
          </div>
        </>
      )}
    </DialogFrame>
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
