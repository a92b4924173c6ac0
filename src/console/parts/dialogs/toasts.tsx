import type { ReactNode } from 'react';
import { Store, useStore } from '../../lib/store.js';
import { t } from '../../texts.js';
import { SignButton } from '../icon.js';

interface Toast {
  readonly id: number;
  readonly message: string;
  readonly action: ToastAction | undefined;
}

/** A button next to the message. */
interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

const SHOWN_MS = 4_000;
/** Long enough to decide about the action. */
const SHOWN_WITH_ACTION_MS = 12_000;
const toasts = new Store<readonly Toast[]>([]);
let lastId = 0;

/** Displays a message briefly, on any page. */
export function say(message: string, action?: ToastAction): void {
  const toast = { id: ++lastId, message, action };
  const isSame = (one: Toast): boolean => one.message === message && one.action === undefined;
  toasts.set([...toasts.get().filter((one) => !isSame(one)), toast]);
  setTimeout(() => dismiss(toast), action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS);
}

function dismiss(toast: Toast): void {
  toasts.set(toasts.get().filter((one) => one !== toast));
}

export function Toasts(): ReactNode {
  return (
    <div className="toasts" role="status" aria-live="polite">
      {useStore(toasts).map((toast) => (
        <p key={toast.id}>
          {toast.message} {toast.action !== undefined && <ActionButton toast={toast} action={toast.action} />}
          <SignButton icon="close" label={t`Close`} onPress={() => dismiss(toast)} />
        </p>
      ))}
    </div>
  );
}

function ActionButton({ toast, action }: { readonly toast: Toast; readonly action: ToastAction }): ReactNode {
  return (
    <button
      type="button"
      className="quiet"
      onClick={() => {
        action.run();
        dismiss(toast);
      }}
    >
      {action.label}
    </button>
  );
}
