import { useEffect, useRef, useState, type ReactNode } from 'react';
import { formatMessage } from '../../../api/errors.js';
import { say } from '../../../parts/dialogs/toasts.js';
import { MenuButton } from '../../../parts/choices/menu-button.js';
import { t } from '../../../texts.js';
import { useListState } from '../list-context.js';
import { getWholeList } from '../parameters.js';
import { getLists } from './chosen.js';
import { exportLists, FORMATS, type Format } from './export.js';

interface ExportMenuProps {
  readonly label: ReactNode;
  /** Only these objects. Default: all listed objects of all pages. */
  readonly names?: readonly string[];
}

/** Saves objects of a list as a file. */
export function ExportMenu({ label, names }: ExportMenuProps): ReactNode {
  const { modelRef, rowParameters } = useListState();
  const [count, setCount] = useState<number>();
  const stopper = useRef<AbortController>(undefined);
  const stop = (): void => stopper.current?.abort();
  useEffect(() => stop, []);
  const run = async (format: Format): Promise<void> => {
    const { signal } = (stopper.current = new AbortController());
    const whole = getWholeList(rowParameters);
    const lists = names === undefined ? [whole] : getLists(names, whole);
    setCount(0);
    try {
      const total = await exportLists({ model: modelRef, lists, format }, { signal, onProgress: setCount });
      say(t`${total} exported`);
    } catch (error) {
      say(signal.aborted ? t`Nothing was saved.` : formatMessage(error));
    } finally {
      setCount(undefined);
    }
  };
  if (count !== undefined)
    return <button type="button" onClick={stop}>{t`Stop saving (${count} so far)`}</button>;
  const entries = FORMATS.map((format) => [format.toUpperCase(), () => void run(format)] as const);
  return (
    <MenuButton className="button" entries={entries}>
      {label}
    </MenuButton>
  );
}
