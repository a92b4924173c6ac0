import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { formatMessage } from '../../../api/errors.js';
import type { ModelRef } from '../../../api/models.js';
import { say } from '../../../parts/dialogs/toasts.js';
import { t } from '../../../texts.js';
import { getWholeList } from '../parameters.js';
import { getLists } from './chosen.js';
import { exportLists, formatFileName, FORMATS, saveFile, type Format } from './export.js';

interface ExportMenuProps {
  readonly modelRef: ModelRef;
  readonly parameters: URLSearchParams;
  readonly label: string;
  /** Only these objects. Default: all listed objects of all pages. */
  readonly names?: readonly string[];
}

/** Saves objects of a list as a file. */
export function ExportMenu({ modelRef, parameters, label, names }: ExportMenuProps): ReactNode {
  const [count, setCount] = useState<number>();
  const stopper = useRef<AbortController>(undefined);
  useEffect(() => () => stopper.current?.abort(), []);
  const run = async (format: Format): Promise<void> => {
    const { signal } = (stopper.current = new AbortController());
    const whole = getWholeList(parameters);
    const lists = names === undefined ? [whole] : getLists(names, whole);
    const exporting = { model: modelRef, lists, format };
    setCount(0);
    try {
      const exported = await exportLists(exporting, { signal, onProgress: setCount });
      saveFile(exported.blob, formatFileName(exporting, new Date()));
      say(t`${exported.count} exported`);
    } catch (error) {
      say(signal.aborted ? t`Nothing was saved.` : formatMessage(error));
    } finally {
      setCount(undefined);
    }
  };
  if (count !== undefined)
    return (
      <button type="button" onClick={() => stopper.current?.abort()}>
        {t`Stop saving (${count} so far)`}
      </button>
    );
  return (
    <MenuTrigger>
      <Button className="button">{label}</Button>
      <Popover className="popover">
        <Menu className="menu">
          {FORMATS.map((format) => (
            <MenuItem key={format} onAction={() => void run(format)}>
              {format.toUpperCase()}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
