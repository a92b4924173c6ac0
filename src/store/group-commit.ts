import { nextTurn } from '../lib/work/turn.js';

/** A write that waits for its commit. */
interface Waiting {
  /** Runs inside the commit; never throws. */
  readonly run: () => void;
  /** Completes the write when the commit is on disk or has failed. */
  readonly settle: (failure: Failure | undefined) => void;
}

interface Failure {
  readonly error: unknown;
}

/** Most writes of one commit; limits the time that the event loop is blocked. */
const GROUP_MAX = 256;

const ANSWER_MS_MAX = 5;

/**
 * Lets writers share a flush to disk. During a commit, new writers wait together for the next one, which begins as
 * soon as the commit is on disk. The writers of a commit are answered during the next flush. Otherwise the disk would
 * wait for answers and new requests, which take as long as a flush.
 * @param commit runs a function inside one transaction and resolves when that is on disk
 * @param answerMsMax longest delay of answers while the next commit begins, in milliseconds
 */
export class GroupCommit {
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(
    private readonly commit: (body: () => void) => Promise<void>,
    private readonly answerMsMax = ANSWER_MS_MAX,
  ) {}

  /**
   * Runs the body inside a commit, after the bodies that came before; no two bodies overlap.
   * @returns the result of the body; rejects with its error, or with the failure of the commit
   */
  run<T>(body: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let answer: () => void = () => reject(new Error('the commit ended without running this write'));
      this.#waiting.push({
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
      this.#running ??= this.#work();
    });
  }

  /** Refuses the writes that no commit has begun to run. None of them will run. */
  refuse(error: Error): void {
    for (const { settle } of this.#waiting.splice(0)) settle({ error });
  }

  /** True when a write is in progress. */
  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when no write is in progress. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #work(): Promise<void> {
    let before: Answers = [];
    while (this.#waiting.length > 0) {
      let group: Waiting[] | undefined;
      const answers = before;
      // Another process may be writing for long.
      const late = setTimeout(answer, this.answerMsMax, answers);
      // Writes that have arrived join the group, which costs the disk the same, however many it has.
      await nextTurn();
      const failure = await this.commit(() => {
        // Not earlier: while another process writes, further writers arrive, which need not wait for the next commit.
        group ??= this.#waiting.splice(0, GROUP_MAX);
        for (const write of group) write.run();
        setImmediate(answer, answers);
      }).then(
        () => undefined,
        (error: unknown): Failure => ({ error }),
      );
      // The commit may have failed before it ran.
      group ??= this.#waiting.splice(0, GROUP_MAX);
      answer(answers);
      clearTimeout(late);
      before = group.map((write) => () => write.settle(failure));
      if (this.#waiting.length === 0) answer(before);
    }
    this.#running = undefined;
  }
}

/** The pending answers to the writers of a commit. Each is called once. */
type Answers = (() => void)[];

function answer(answers: Answers): void {
  for (const one of answers.splice(0)) one();
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
