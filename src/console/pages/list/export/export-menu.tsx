import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { messageOf } from '../../../api/errors.js';
import type { ModelRef } from '../../../api/models.js';
import { say } from '../../../parts/toasts.js';
import { text } from '../../../texts.js';
import { wholeListOf } from '../parameters.js';
import { exportList, fileNameOf, FORMATS, saveFile, type Format } from './export.js';

interface ExportMenuProps {
  readonly modelRef: ModelRef;
  readonly parameters: URLSearchParams;
}

/** Saves everything that is listed, all pages of it, as a file. */
export function ExportMenu({ modelRef, parameters }: ExportMenuProps): ReactNode {
  const [count, setCount] = useState<number>();
  const stopper = useRef<AbortController>(undefined);
  useEffect(() => () => stopper.current?.abort(), []);
  const run = async (format: Format): Promise<void> => {
    const { signal } = (stopper.current = new AbortController());
    const exporting = { model: modelRef, list: wholeListOf(parameters), format };
    setCount(0);
    try {
      const exported = await exportList(exporting, { signal, onProgress: setCount });
      saveFile(exported.blob, fileNameOf(exporting, new Date()));
      say(text.list.exported(exported.count));
    } catch (error) {
      say(signal.aborted ? text.list.exportStopped : messageOf(error));
    } finally {
      setCount(undefined);
    }
  };
  if (count !== undefined)
    return (
      <button type="button" onClick={() => stopper.current?.abort()}>
        {text.list.exporting(count)}
      </button>
    );
  return (
    <MenuTrigger>
      <Button className="button">{text.list.export}</Button>
      <Popover className="popover">
        <Menu className="menu">
          {FORMATS.map((format) => (
            <MenuItem key={format} onAction={() => void run(format)}>
              {text.list.formats[format]}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
