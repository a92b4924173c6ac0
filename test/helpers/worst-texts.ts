import { createContext, Script } from 'node:vm';

/** Length of the texts that decide about an expression. */
const LONG = 1024 * 1024;
/** Long enough for more than linear time to show, short enough for thousands of texts. */
const SHORT = 4 * 1024;
/** Number of the slowest short texts that are tried at their full length. */
const TRIED = 3;
/** Processor time that a long text may take. Linear time takes milliseconds, quadratic time minutes. */
const LINEAR_MS = 1_000;
/** Wall time after which the engine is stopped to read the processor time, which decides. */
const STOP_MS = 2_000;

/** A text that may make an expression slow: a matching prefix, a long run, and an end that does not match. */
interface Shape {
  readonly prefix: string;
  readonly run: string;
  readonly end: string;
}

/** Characters that a class stands for. */
const CLASSES: Readonly<Record<string, string>> = {
  d: '1',
  D: 'a',
  w: 'a1',
  W: '-',
  s: ' \n',
  S: 'a',
  n: '\n',
  r: '\r',
  t: '\t',
  b: 'a',
};

/** The 1 MiB of text that takes the expression more than linear time, shortened; undefined when there is none. */
export function slowText(expression: RegExp): string | undefined {
  const found = timesOf(
    expression,
    shapesOf(expression.source).map((shape) => ({ shape, text: textOf(shape, SHORT) })),
  );
  const slowest = found.toSorted((a, b) => b.ms - a.ms).slice(0, TRIED);
  const tried = timesOf(
    expression,
    slowest.map(({ shape }) => ({ shape, text: textOf(shape, LONG) })),
  );
  const slow = tried.find(({ ms }) => ms > LINEAR_MS);
  return slow && JSON.stringify({ ...slow.shape, ms: Math.round(slow.ms) });
}

function textOf({ prefix, run, end }: Shape, length: number): string {
  return prefix + run.repeat(Math.ceil(length / run.length)) + end;
}

/** Runs of each character and of each pair of characters that the expression speaks of. */
function shapesOf(source: string): Shape[] {
  const atoms = atomsOf(source);
  const signs = [...new Set([...atoms.filter((atom) => !/[a-zA-Z0-9]/.test(atom)), 'a', '1'])].slice(0, 6);
  const pairs = signs.flatMap((a) => signs.map((b) => a + b));
  const prefixes = new Set(['', ...wordsOf(source), ...signs]);
  const runs = new Set([...atoms, ...pairs]);
  return [...prefixes].flatMap((prefix) =>
    [...runs].flatMap((run) => ['\u0000', ''].map((end) => ({ prefix, run, end }))),
  );
}

/** The characters that the expression names, and some of each class. */
function atomsOf(source: string): string[] {
  const atoms = new Set(['a', '1']);
  for (let at = 0; at < source.length; at++) {
    const isEscape = source.charAt(at) === '\\';
    if (isEscape) at += 1;
    const char = source.charAt(at);
    for (const atom of isEscape ? (CLASSES[char] ?? char) : char) atoms.add(atom);
  }
  return [...atoms];
}

/** The first runs of characters that stand for themselves. */
function wordsOf(source: string): string[] {
  const words = source.match(/(?:[A-Za-z0-9 :/;=,"@-]|\\[/.[\]{}+*?])+/g) ?? [];
  return words.map((word) => word.replaceAll('\\', '')).slice(0, 3);
}

interface Tried {
  readonly shape: Shape;
  readonly text: string;
}

interface Timed {
  readonly shape: Shape;
  /** Of the processor. */
  readonly ms: number;
}

const RUN = new Script(`for (; at < tried.length; at++) {
  beganMs = clockMs();
  tried[at].text.replace(expression, '');
  times.push(clockMs() - beganMs);
}`);

/** The time of each text, up to the first that takes too long. */
function timesOf(expression: RegExp, tried: readonly Tried[]): Timed[] {
  const state = { clockMs, expression, tried, times: [] as number[], at: 0, beganMs: 0 };
  const engine = createContext(state);
  for (let timeout = STOP_MS, isDone = false; !isDone; timeout *= 2) {
    try {
      RUN.runInContext(engine, { timeout });
      isDone = true;
    } catch {
      // On a busy machine it may not have had the processor; then the same text is tried once more.
      isDone = clockMs() - state.beganMs > LINEAR_MS;
      if (isDone) state.times.push(Infinity);
    }
  }
  return tried.slice(0, state.times.length).map(({ shape }, i) => ({ shape, ms: state.times[i] ?? 0 }));
}

function clockMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
