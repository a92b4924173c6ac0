import { useEffect, useState, type ReactNode } from 'react';
import {
  Autocomplete,
  Collection,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  TextField,
} from 'react-aria-components';
import { t } from '../../texts.js';
import { useEntries, type Entry } from './palette-entries.js';

interface PaletteProps {
  /** Takes what was typed before the field had the focus. */
  readonly takeEarly: () => string;
  readonly onClose: () => void;
}

/** Finds pages, models, objects and actions by the typed text; all of it by keyboard. */
export default function Palette({ takeEarly, onClose }: PaletteProps): ReactNode {
  const [typed, setTyped] = useState('');
  const [field, setField] = useState<HTMLInputElement>();
  // In an effect: when the field gets the focus, the list may not follow it yet.
  useEffect(() => {
    if (field !== undefined) insert(takeEarly(), field);
  }, [field, takeEarly]);
  const { sections, isSearching } = useEntries(typed);
  const run = (key: string): void => {
    const entry = sections.flatMap(({ entries }) => entries).find(({ id }) => id === key);
    onClose();
    entry?.run();
  };
  return (
    <ModalOverlay isOpen isDismissable className="overlay palette-overlay" onOpenChange={onClose}>
      <Modal className="modal">
        <Dialog className="palette" aria-label={t`Search`}>
          <Autocomplete inputValue={typed} onInputChange={setTyped}>
            <TextField aria-label={t`Search`} autoFocus>
              <Input
                placeholder={t`A page, a model, an object by name or title, an action…`}
                spellCheck={false}
                autoComplete="off"
                onFocus={({ currentTarget }) => setField(currentTarget)}
              />
            </TextField>
            {/* The focus stays in the field; this element is focusable for keyboard scrolling. */}
            <div className="palette-menu" role="group" aria-label={t`Found`} tabIndex={0}>
              <Menu
                className={sections.length === 0 ? 'menu palette-none' : 'menu'}
                aria-label={t`Found`}
                items={sections}
                onAction={(key) => run(String(key))}
                renderEmptyState={() => <p className="faint">{isSearching ? t`Loading…` : t`No matches.`}</p>}
              >
                {({ name, entries }) => (
                  <MenuSection id={name}>
                    <Header className="palette-header label">{name}</Header>
                    <Collection items={entries}>{(entry) => <Line entry={entry} />}</Collection>
                  </MenuSection>
                )}
              </Menu>
            </div>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Inserts a text at the beginning, as if it was typed: the first match is then selected. */
function insert(text: string, input: HTMLInputElement): void {
  if (text === '') return;
  const typing: InputEventInit = { bubbles: true, inputType: 'insertText', data: text };
  // The list selects its first match when it knows from this event that a text is typed.
  input.dispatchEvent(new InputEvent('beforeinput', typing));
  input.setRangeText(text, 0, 0, 'preserve');
  if (input.value === text) input.setSelectionRange(text.length, text.length);
  input.dispatchEvent(new InputEvent('input', typing));
}

function Line({ entry: { id, name, of } }: { readonly entry: Entry }): ReactNode {
  return (
    <MenuItem id={id} textValue={name} className="line spread">
      <div>{name}</div>
      {of !== undefined && <span className="faint">{of}</span>}
    </MenuItem>
  );
}
