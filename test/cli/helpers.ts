import { spawn } from 'node:child_process';
import { Output, type CliIo } from '../../src/cli/io.js';

/** An output that keeps what is written. */
export class TestOutput extends Output {
  readonly columns: number | undefined;
  text = '';
  closeSignal = new AbortController().signal;

  constructor(
    readonly isTTY = false,
    columns?: number,
  ) {
    super();
    this.columns = columns;
  }

  paint(text: string): void {
    this.text += text;
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }
}

export interface TestIo extends CliIo {
  readonly stdout: TestOutput;
  readonly stderr: TestOutput;
  /** Acts as a signal does. */
  stop(): void;
}

/** A command's world without a process. */
export function testIo(
  given: Partial<Pick<CliIo, 'env' | 'cwd' | 'stdin'>> & { columns?: number } = {},
): TestIo {
  const controller = new AbortController();
  const isTTY = given.columns !== undefined;
  return {
    stdout: new TestOutput(isTTY, given.columns),
    stderr: new TestOutput(isTTY),
    stdin: given.stdin ?? emptyInput(),
    stdinIsTTY: false,
    env: given.env ?? {},
    cwd: given.cwd ?? '/nowhere',
    edit: runEditor,
    stopSignal: () => controller.signal,
    stop: () => controller.abort(),
    onHangup: () => undefined,
    onStrayError: () => undefined,
    onConsole: () => undefined,
  };
}

async function* emptyInput(): AsyncGenerator<string> {
  // Nothing to read.
}

/** As the program does, without a terminal. */
function runEditor(editor: string, file: string): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', `${editor} "$@"`, 'sh', file], { stdio: 'ignore' });
    child.on('close', (code) => resolve(code ?? 1));
  });
}
