import type { ReactNode } from 'react';
import { Store, useStore } from '../lib/store.js';
import { text } from '../texts.js';

interface Toast {
  readonly id: number;
  readonly message: string;
}

const SHOWN_MS = 4_000;
const toasts = new Store<readonly Toast[]>([]);
let lastId = 0;

/** Says for a moment, on whatever page, that something was done. */
export function say(message: string): void {
  const toast = { id: ++lastId, message };
  toasts.set([...toasts.get().filter((one) => one.message !== message), toast]);
  setTimeout(() => dismiss(toast), SHOWN_MS);
}

function dismiss(toast: Toast): void {
  toasts.set(toasts.get().filter((one) => one !== toast));
}

export function Toasts(): ReactNode {
  return (
    <div className="toasts" role="status" aria-live="polite">
      {useStore(toasts).map((toast) => (
        <p key={toast.id}>
          {toast.message}{' '}
          <button type="button" className="quiet" aria-label={text.close} onClick={() => dismiss(toast)}>
            ×
          </button>
        </p>
      ))}
    </div>
  );
}
