import type { CliIo, Output } from '../io.js';

type Paint = (text: string) => string;

/** Colours by meaning. */
export interface Colors {
  readonly good: Paint;
  readonly attention: Paint;
  readonly bad: Paint;
  readonly strong: Paint;
  readonly faint: Paint;
}

const same: Paint = (text) => text;
const PLAIN: Colors = { good: same, attention: same, bad: same, strong: same, faint: same };

/** Colours on a terminal, unless `NO_COLOR` is set (https://no-color.org); otherwise none. */
export async function colorsFor(output: Pick<Output, 'isTTY'>, env: CliIo['env']): Promise<Colors> {
  if (!output.isTTY || (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb') return PLAIN;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return { good: chalk.green, attention: chalk.yellow, bad: chalk.red, strong: chalk.bold, faint: chalk.dim };
}
