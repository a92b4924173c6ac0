import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Button, ComboBox, Input, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { formatMessage } from '../api/errors.js';
import { getPath, useModels, type Model } from '../api/models.js';
import { readNames, storedModel } from '../api/names.js';
import { useSettled } from '../lib/use-settled.js';
import { t } from '../texts.js';
import type { InputProps } from './parts.js';
import type { Target } from './shape.js';

interface ReferencePickerProps {
  readonly target: Target;
  readonly value: string;
  readonly input: InputProps;
  readonly onChange: (value: string) => void;
}

/** The name of an object of another model: found by a part of it, or typed. */
export function ReferencePicker({ target, value, input, onChange }: ReferencePickerProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  // A user who opens the list without typing expects all names.
  const [search, setSearch] = useState('');
  const { names, hint } = useNames(useTarget(target), search, isOpen);
  const { placeholder = '', 'aria-invalid': isInvalid, 'aria-required': isRequired = false, ...rest } = input;
  return (
    <ComboBox
      {...rest}
      className="picker"
      allowsCustomValue
      allowsEmptyCollection
      isInvalid={isInvalid}
      isRequired={isRequired}
      validationBehavior="aria"
      items={names.map((id) => ({ id }))}
      inputValue={value}
      onInputChange={(typed) => {
        setSearch(typed);
        onChange(typed);
      }}
      onOpenChange={(opened, trigger) => {
        setIsOpen(opened);
        if (trigger === 'manual') setSearch('');
      }}
    >
      <Input placeholder={placeholder === '' ? target.kind : placeholder} spellCheck={false} />
      <Button aria-label={t`Choose ${input['aria-label']}`}>▾</Button>
      <Popover className="popover picker-names">
        <ListBox<{ id: string }> className="menu" renderEmptyState={() => <p className="faint">{hint}</p>}>
          {({ id }) => <ListBoxItem textValue={id}>{id}</ListBoxItem>}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

/** The model of a reference, in its storage version. */
function useTarget({ group, kind }: Target): Model | undefined {
  return storedModel(useModels().data ?? [], group, kind);
}

interface Names {
  readonly names: readonly string[];
  /** Replaces the names when none are found. */
  readonly hint: string;
}

/** The first names of a model's objects that contain a text. */
function useNames(model: Model | undefined, search: string, isWanted: boolean): Names {
  const settled = useSettled(search.trim());
  const path = model === undefined ? '' : getPath(model);
  const { data, error } = useQuery({
    queryKey: ['names', path, settled],
    queryFn: ({ signal }) => (model === undefined ? [] : readNames(model, settled, signal)),
    placeholderData: keepPreviousData,
    enabled: isWanted && model !== undefined,
  });
  const names = data ?? [];
  if (error !== null) return { names, hint: formatMessage(error) };
  return { names, hint: data === undefined && model !== undefined ? t`Loading…` : t`No matches.` };
}
