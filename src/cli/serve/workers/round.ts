import type { Message } from './messages.js';

/** The time limit for workers' answers; a busy or blocked one is skipped. */
const ANSWER_MS = 2_000;

interface Round {
  readonly texts: string[];
  /** Workers that have not answered yet. */
  readonly open: Set<number>;
  readonly end: () => void;
}

/** Carries questions of one worker to the others, and their answers back. */
export class Rounds {
  readonly #rounds = new Map<number, Round>();
  #lastId = 0;

  /** @param send sends to a worker, by its number */
  constructor(private readonly send: (worker: number, message: Message) => void) {}

  /** @param others the workers that can answer */
  ask(asker: number, { id, topic, question }: Extract<Message, { kind: 'ask' }>, others: number[]): void {
    const round = ++this.#lastId;
    const texts: string[] = [];
    const end = (): void => {
      clearTimeout(late);
      if (this.#rounds.delete(round)) this.send(asker, { kind: 'answers', id, texts });
    };
    const late = setTimeout(end, ANSWER_MS);
    this.#rounds.set(round, { texts, open: new Set(others), end });
    for (const other of others) this.send(other, { kind: 'ask', id: round, topic, question });
    if (others.length === 0) end();
  }

  answer(worker: number, { id, text }: Extract<Message, { kind: 'answer' }>): void {
    const round = this.#rounds.get(id);
    if (round === undefined || !round.open.delete(worker)) return;
    if (text !== undefined) round.texts.push(text);
    if (round.open.size === 0) round.end();
  }

  /** Removes a worker that is gone from all rounds. */
  forget(worker: number): void {
    for (const round of [...this.#rounds.values()])
      if (round.open.delete(worker) && round.open.size === 0) round.end();
  }
}
