import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { use, useState, type ReactNode } from 'react';
import { Button, ComboBox, Input, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { formatMessage } from '../../api/errors.js';
import { getPath, useModels, type Model } from '../../api/models.js';
import { findObjects, storedModel, type FoundObject } from '../../api/names.js';
import { useMay } from '../../api/platform/rights.js';
import { useSettled } from '../../lib/use-settled.js';
import { DialogButton } from '../../parts/dialogs/dialog-button.js';
import { getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import { CreateObject } from '../create-object.js';
import type { InputProps } from '../parts.js';
import type { ScalarShape } from '../shape/shape.js';
import { useTitle } from './use-title.js';

interface ReferencePickerProps {
  readonly target: NonNullable<ScalarShape['target']>;
  readonly value: string;
  readonly input: InputProps;
  readonly isReadOnly?: boolean;
  /** True to offer links to the object, and to a new one. */
  readonly hasLinks?: boolean;
  readonly onChange: (value: string) => void;
}

const LIST_MAX = 288;

/** The name of an object of another model: found by a part of its title or name, or typed. */
export function ReferencePicker(props: ReferencePickerProps): ReactNode {
  const { target, value, input, isReadOnly = false, hasLinks = false, onChange } = props;
  const model = storedModel(useModels().data ?? [], target.group, target.kind);
  const [isOpen, setIsOpen] = useState(false);
  // A user who opens the list without typing expects all names.
  const [search, setSearch] = useState('');
  const { found, hint } = useFound(model, search, isOpen);
  const title = useTitle(model, value);
  const { placeholder = '', 'aria-invalid': isInvalid, 'aria-required': isRequired = false, ...rest } = input;
  return (
    <div className="line reference-picker">
      <ComboBox
        {...rest}
        className="reference-picker-box"
        allowsCustomValue
        allowsEmptyCollection
        isInvalid={isInvalid}
        isRequired={isRequired}
        isDisabled={isReadOnly}
        validationBehavior="aria"
        items={found}
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
        {title !== undefined && (
          <span className="cut reference-picker-shown" aria-hidden="true">
            <strong dir="auto">{title}</strong> <code>{value}</code>
          </span>
        )}
        <Button aria-label={t`Choose ${input['aria-label']}`}>▾</Button>
        <Popover className="popover reference-picker-names" maxHeight={LIST_MAX}>
          <ListBox<FoundObject> className="menu" renderEmptyState={() => <p className="faint">{hint}</p>}>
            {({ id, title: shown }) => (
              <ListBoxItem textValue={id}>
                {shown !== undefined && <strong dir="auto">{shown}</strong>}{' '}
                <span className={shown === undefined ? undefined : 'faint'}>{id}</span>
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
      {hasLinks && model !== undefined && (
        <Link
          model={model}
          value={value}
          name={title ?? value}
          isReadOnly={isReadOnly}
          onCreated={onChange}
        />
      )}
    </div>
  );
}

interface LinkProps {
  readonly model: Model;
  readonly value: string;
  readonly name: string;
  readonly isReadOnly: boolean;
  readonly onCreated: (name: string) => void;
}

/** Leads to the object of a reference, or to a new one. */
function Link({ model, value, name, isReadOnly, onCreated }: LinkProps): ReactNode {
  const mayCreate = useMay('create', model);
  const CreateDialog = use(CreateObject);
  if (value !== '')
    return (
      <a href={getObject(model, value)} aria-label={t`Open ${name}`}>
        {t`Open`}
      </a>
    );
  if (CreateDialog === undefined) return null;
  return (
    <DialogButton
      label={t`Create new`}
      className="quiet"
      isAllowed={mayCreate && !isReadOnly}
      // With a value, this is a link, and the dialog is gone.
      dialog={(onClose) => <CreateDialog model={model} onClose={onClose} onCreated={onCreated} />}
    />
  );
}

/** The first objects of a model whose title or name contains a text; and a hint that replaces them when there are none. */
function useFound(model: Model | undefined, search: string, isWanted: boolean) {
  const settled = useSettled(search.trim());
  const { data, error } = useQuery({
    queryKey: ['names', model && getPath(model), settled],
    queryFn: ({ signal }) => (model === undefined ? [] : findObjects(model, settled, signal)),
    placeholderData: keepPreviousData,
    enabled: isWanted && model !== undefined,
  });
  const hint = data === undefined && model !== undefined ? t`Loading…` : t`No matches.`;
  const found: readonly FoundObject[] = data ?? [];
  return { found, hint: error === null ? hint : formatMessage(error) };
}
