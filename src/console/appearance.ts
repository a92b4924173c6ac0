import { KeptText } from './lib/storage.js';
import { Store, useStore } from './lib/store.js';
import { useEvent } from './lib/use-event.js';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const DENSITIES = ['compact', 'normal', 'roomy'] as const;
/** The height of rows. */
export type Density = (typeof DENSITIES)[number];

/** A choice of the user that this browser keeps, as an attribute of the page for its styles. */
class Choice<T extends string> {
  readonly now: Store<T>;
  readonly #kept: KeptText;

  constructor(
    private readonly name: 'theme' | 'density',
    choices: readonly T[],
    private readonly usual: T,
  ) {
    this.#kept = new KeptText('localStorage', `xsvc-${name}`);
    const kept = this.#kept.get();
    this.now = new Store(choices.find((one) => one === kept) ?? usual);
  }

  set(chosen: T): void {
    this.#kept.set(chosen === this.usual ? undefined : chosen);
    this.now.set(chosen);
    this.show();
  }

  show(): void {
    const chosen = this.now.get();
    if (chosen === this.usual) delete document.documentElement.dataset[this.name];
    else document.documentElement.dataset[this.name] = chosen;
  }
}

export const theme = new Choice<Theme>('theme', THEMES, 'system');
export const density = new Choice<Density>('density', DENSITIES, 'normal');

/** Runs before anything is displayed. */
export function showAppearance(): void {
  theme.show();
  density.show();
}

const DARK = matchMedia('(prefers-color-scheme: dark)');

/** True when the page is dark, for what is drawn by script. */
export function useIsDark(): boolean {
  const chosen = useStore(theme.now);
  const isSystemDark = useEvent(DARK, 'change', () => DARK.matches);
  return chosen === 'system' ? isSystemDark : chosen === 'dark';
}
