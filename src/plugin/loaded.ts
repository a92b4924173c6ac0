import path from 'node:path';

/** Names of the plugins whose code was loaded, by directory. */
const names = new Map<string, string>();

/** Records that code of a plugin runs in this process from now on. */
export function noteLoaded({ name, directory }: { readonly name: string; readonly directory: string }): void {
  names.set(directory + path.sep, name);
}

/** The limit of stack frames that are searched: the plugin may be far up. */
const FRAMES_MAX = 200;

/** The plugin whose code called; undefined when no caller is a plugin. */
export function callingPlugin(): string | undefined {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES_MAX;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = limit;
  for (const frame of stack.split('\n').slice(1)) {
    for (const [directory, name] of names) if (frame.includes(directory)) return name;
  }
  return undefined;
}
