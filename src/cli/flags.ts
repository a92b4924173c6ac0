import { InvalidArgumentError, Option } from 'commander';

/** A flag whose value has the type T. Its name is the key that it has in a command: `dryRun` is `--dry-run`. */
export interface Flag<T> {
  readonly about: string;
  /** `-l, --selector`, where the long name does not follow from the key. */
  readonly names?: string;
  /** `-f` */
  readonly short?: string;
  /** `<file>` or `[file]`; absent for a switch. */
  readonly takes?: string;
  readonly choices?: readonly string[];
  /** True for `--no-name`, which sets the value to false. */
  readonly isNegated?: boolean;
  /** The text of `--no-name` beside `--name`. */
  readonly negation?: string | undefined;
  /** Its group in the help. Default: `Options:`. */
  readonly heading?: string | undefined;
  readonly isRequired?: boolean;
  readonly isHidden?: boolean;
  readonly fallback?: T;
  /** Parses a value. @throws InvalidArgumentError */
  read?(text: string, before: T | undefined): T;
}

/** A flag that always has a value. */
export interface SetFlag<T> extends Flag<T> {
  readonly isSet: true;
}

export type Flags = Readonly<Record<string, Flag<unknown>>>;

type Value<F> = F extends Flag<infer T> ? T : never;

/** The values of a command line's flags. */
export type FlagValues<F extends Flags> = {
  readonly [K in keyof F as F[K] extends SetFlag<unknown> ? K : never]: Value<F[K]>;
} & {
  readonly [K in keyof F as F[K] extends SetFlag<unknown> ? never : K]?: Value<F[K]>;
};

type More = Pick<Flag<unknown>, 'short' | 'isHidden'>;

/** A switch. */
export function toggle(about: string, more: More = {}): Flag<boolean> {
  return { about, ...more };
}

/** A switch that is on unless `--no-name` is given. */
export function negated(about: string): SetFlag<boolean> {
  return { about, isNegated: true, isSet: true };
}

/** A flag with a text. */
export function text(takes: string, about: string, more: More = {}): Flag<string> {
  return { takes, about, ...more };
}

/** A flag that may be repeated. */
export function texts(takes: string, about: string, more: More = {}): Flag<readonly string[]> {
  return { takes, about, ...more, read: (value, before = []) => [...before, value] };
}

/** A flag whose text is parsed. @param negation text of the switch `--no-name`, when there is one */
export function parsed<T>(
  takes: string,
  about: string,
  read: (value: string) => T,
  negation?: string,
): Flag<T> {
  return { takes, about, read, negation };
}

/** A flag with an integer. */
export function integer(about: string, min: number): Flag<number> {
  return parsed('<number>', about, (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && Number.isSafeInteger(number) && number >= min) return number;
    throw new InvalidArgumentError(`It must be an integer from ${min}.`);
  });
}

/** A flag with one of some texts. */
export function choice<const C extends string>(takes: string, about: string, choices: readonly C[]): Flag<C> {
  return { takes, about, choices };
}

/** `-o` with one of some formats. */
export function format<const C extends string>(choices: readonly C[], about = 'output format'): Flag<C> {
  return { ...choice('<format>', about, choices), short: '-o' };
}

export function withDefault<T>(flag: Flag<T>, fallback: NoInfer<T>): SetFlag<T> {
  return { ...flag, fallback, isSet: true };
}

/** A flag that must be given. */
export function required<T>(flag: Flag<T>): SetFlag<T> {
  return { ...flag, isRequired: true, isSet: true };
}

/** The flags of every command. */
export const GLOBAL_FLAGS = {
  server: text('<url>', 'work on a server instead of the store (XSVC_SERVER)'),
  token: text('<token>', 'credentials for the server (XSVC_TOKEN)'),
  dataDir: text('<dir>', 'data directory of the store (XSVC_DATA_DIR; default: .xsvc)'),
  store: text(
    '<store>',
    'lmdb:DIR, or for serve postgres://USER@HOST/DATABASE or etcd://HOST,HOST/PREFIX (XSVC_STORE; default: the ' +
      'data directory)',
  ),
  plugins: texts('<dir>', 'directory of plugins (repeatable, XSVC_PLUGINS; default: plugins)'),
  takeover: toggle('replace model declarations held by another process'),
  config: text('<file>', 'configuration file (default: xsvc.yaml)'),
  namespace: text(
    '<name>',
    'namespace of the objects (XSVC_NAMESPACE; default: that of the context, else default)',
    {
      short: '-n',
    },
  ),
  verbose: toggle('print debug output, with stacks of errors'),
};
export type GlobalFlags = FlagValues<typeof GLOBAL_FLAGS>;

/** The values of a command's flags, with those of every command. */
export type CommandFlags<F extends Flags> = GlobalFlags & FlagValues<F>;

/** The flags in the form for Commander. */
export function toOptions(flags: Flags): readonly Option[] {
  return Object.entries(flags).flatMap(([key, flag]) => {
    const { about, choices, isRequired = false, isHidden = false, heading, fallback, negation } = flag;
    const names = flag.names ?? formatNames(key, flag);
    const option = new KeyedOption(key, flag.takes === undefined ? names : `${names} ${flag.takes}`, about)
      .makeOptionMandatory(isRequired)
      .hideHelp(isHidden);
    if (heading !== undefined) option.helpGroup(heading);
    if (choices !== undefined) option.choices(choices);
    if (flag.read !== undefined) option.argParser((value, before: unknown) => flag.read?.(value, before));
    if (fallback !== undefined) option.default(fallback);
    if (negation === undefined) return option;
    return [option, new KeyedOption(key, formatNames(key, { about, isNegated: true }), negation)];
  });
}

function formatNames(key: string, { short, isNegated = false }: Flag<unknown>): string {
  const long = `--${isNegated ? 'no-' : ''}${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return short === undefined ? long : `${short}, ${long}`;
}

/** An option whose value has a key that need not follow from its names. */
class KeyedOption extends Option {
  constructor(
    private readonly key: string,
    names: string,
    about: string,
  ) {
    super(names, about);
  }

  override attributeName(): string {
    return this.key;
  }
}
