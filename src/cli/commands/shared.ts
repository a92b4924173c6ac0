import { SELECTORS, type LIST_PARAMETERS, type SelectorName } from '../../query/list-parameters.js';
import type { FieldValidation } from '../../service/verbs.js';
import { UsageError } from '../exit.js';
import {
  choice,
  format,
  integer,
  negated,
  text,
  texts,
  toggle,
  withDefault,
  type Flag,
  type FlagValues,
} from '../flags.js';
import { OUTPUTS, WITH_VALUE } from '../output/format.js';

/** Arguments and flags of several commands. */

const RESOURCE = 'plural, singular, kind or short name';

export const ONE_RESOURCE = { '<resource>': RESOURCE };
export const ONE_OBJECT = { ...ONE_RESOURCE, '[name]': 'name of the object' };
export const OBJECTS = { ...ONE_RESOURCE, '[names...]': 'names of objects' };
export const SEVERAL_RESOURCES = `${RESOURCE}; several separated by commas`;
export const SELECTED_OBJECTS = { '[resource]': RESOURCE, '[names...]': 'names of objects' };

type Parameter = (typeof LIST_PARAMETERS)[number];
type NamesOf<T extends Parameter['type']> = Extract<Parameter, { readonly type: T }>['name'];

/** The flags of list parameters, by the names of the parameters. */
type ParameterFlags = { [Name in NamesOf<'text'>]?: Flag<string> } & {
  [Name in NamesOf<'texts'>]?: Flag<readonly string[]>;
} & { [Name in NamesOf<'integer'>]?: Flag<number> };

export function parameterFlags(parameters: readonly Parameter[]): Readonly<ParameterFlags> {
  const flags: ParameterFlags = {};
  for (const parameter of parameters) {
    const [flag, help] = parameter.flag;
    const end = flag.lastIndexOf(' ');
    const [names, takes] = [flag.slice(0, end), flag.slice(end + 1)];
    if (parameter.type === 'texts') flags[parameter.name] = { ...texts(takes, help), names };
    else if (parameter.type === 'integer')
      flags[parameter.name] = { ...integer(help, 'min' in parameter ? parameter.min : 0), names, takes };
    else flags[parameter.name] = { ...text(takes, help), names };
  }
  return flags;
}

/** `-l`, `--field-selector` and `--filter`. */
export const SELECTOR_FLAGS: Readonly<Pick<ParameterFlags, SelectorName>> = parameterFlags(SELECTORS);
export type SelectorFlags = FlagValues<typeof SELECTOR_FLAGS>;

export const ALL_NAMESPACES = { allNamespaces: toggle('objects of all namespaces', { short: '-A' }) };

export const INPUT = {
  filename: texts('<path>', 'file, directory, glob, or - for standard input (repeatable)', { short: '-f' }),
  recursive: toggle('read directories recursively', { short: '-R' }),
};

/** The flags that select a command's objects. */
export const SELECTION = {
  ...SELECTOR_FLAGS,
  all: toggle('all objects of the resource'),
  ...ALL_NAMESPACES,
  ...INPUT,
};
export type SelectionFlags = FlagValues<typeof SELECTION>;

export const DRY_RUN = { dryRun: toggle('preview the changes without storing them') };

export const YES = { yes: toggle('do not ask for confirmation') };

export const HEADERS = { headers: negated('omit the header of a table') };

export const TABLE = { output: withDefault(format(OUTPUTS), 'table'), ...HEADERS };

export const VALIDATIONS = { strict: 'Strict', warn: 'Warn', ignore: 'Ignore' } as const satisfies Readonly<
  Record<string, FieldValidation>
>;

export type Validation = keyof typeof VALIDATIONS;

const MODES: readonly Validation[] = ['strict', 'warn', 'ignore'];

export const VALIDATE = {
  validate: withDefault(choice('<mode>', 'handling of fields that no schema declares', MODES), 'strict'),
};

export const SUBRESOURCE = {
  subresource: choice('<name>', 'write only this part of the object', ['status'] as const),
};

/** The choices are for the help and for completion: some continue after the `=`. */
function anyFormat(choices: readonly string[], about?: string): Flag<string> {
  return { ...format(choices, about), read: (value) => value };
}

/** `-o` of commands that read objects, with its unparsed text. */
export const READ_OUTPUT = {
  output: withDefault(anyFormat([...OUTPUTS, ...WITH_VALUE.map((name) => `${name}=`)]), 'table'),
};

/** `-o` of commands that write, with its unparsed text. */
export const WRITE_OUTPUT = {
  output: anyFormat(
    ['json', 'yaml', 'name', 'jsonpath=', 'jsonpath-file='],
    'print the objects instead of the results',
  ),
};

/** The values of `-f`. @throws UsageError when it is absent */
export function requiredFiles(command: string, filename: readonly string[] | undefined): readonly string[] {
  if (filename !== undefined) return filename;
  throw new UsageError(`${command} needs -f with a file, a directory, a glob, or -`);
}
