import { setImmediate as nextTurn } from 'node:timers/promises';

/** One write that waits for its commit. */
interface Waiting {
  /** Runs inside the commit; it never throws. */
  readonly run: () => void;
  /** Answers the writer, once the commit is on disk or has failed. */
  readonly settle: (failure: Failure | undefined) => void;
}

interface Failure {
  readonly error: unknown;
}

/** Most writes of one commit: bounds how long the event loop is held. */
const GROUP_MAX = 256;

const ANSWER_MS_MAX = 5;

/**
 * Lets writers share a flush to disk: while one commit is under way, those that come wait together for the next. That
 * begins as soon as the one before is on disk, and its writers are answered while the next is flushed: else the disk
 * would wait for answers and for requests, which take as long as it does.
 * @param commit runs what it is given inside one transaction and resolves when that is on disk
 * @param answerMsMax longest time that writers wait for their answer while the next commit begins, in milliseconds
 */
export class GroupCommit {
  private waiting: Waiting[] = [];
  private running: Promise<void> | undefined;

  constructor(
    private readonly commit: (body: () => void) => Promise<void>,
    private readonly answerMsMax = ANSWER_MS_MAX,
  ) {}

  /**
   * Runs the body inside a commit, alone in time, after the bodies that came before.
   * @returns what the body returned; rejects with what it threw, or with the commit's failure
   */
  run<T>(body: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let answer: () => void = () => reject(new Error('the commit ended without running this write'));
      this.waiting.push({
        run: () => {
          try {
            const value = body();
            answer = () => resolve(value);
          } catch (error) {
            answer = () => reject(asError(error));
          }
        },
        settle: (failure) => {
          if (failure === undefined) answer();
          else reject(asError(failure.error));
        },
      });
      this.running ??= this.work();
    });
  }

  /** Refuses the writes that no commit has begun to run; none of them will run. */
  refuse(error: Error): void {
    for (const { settle } of this.waiting.splice(0)) settle({ error });
  }

  /** Whether a write is under way. */
  get isBusy(): boolean {
    return this.running !== undefined;
  }

  /** Resolves when no write is under way. */
  async idle(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  private async work(): Promise<void> {
    // Whoever writes in this turn of the event loop comes along.
    await nextTurn();
    let before: Answers = [];
    while (this.waiting.length > 0) {
      let group: Waiting[] | undefined;
      const answers = before;
      // Another process may be writing, for long.
      const late = setTimeout(answer, this.answerMsMax, answers);
      const failure = await this.commit(() => {
        // Not before: while another process writes, more come, who need not wait for the next commit.
        group ??= this.waiting.splice(0, GROUP_MAX);
        for (const write of group) write.run();
        setImmediate(answer, answers);
      }).then(
        () => undefined,
        (error: unknown): Failure => ({ error }),
      );
      // The commit may have failed before it ran.
      group ??= this.waiting.splice(0, GROUP_MAX);
      answer(answers);
      clearTimeout(late);
      before = group.map((write) => () => write.settle(failure));
      if (this.waiting.length === 0) answer(before);
    }
    this.running = undefined;
  }
}

/** How the writers of a commit are answered, each once. */
type Answers = (() => void)[];

function answer(answers: Answers): void {
  for (const one of answers.splice(0)) one();
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
