/** Other processes that answer on the same address: each of them answers for all. */
export interface Peers {
  /** The answers of the others; those that do not answer in time are left out. */
  ask(topic: string, question?: string): Promise<readonly string[]>;
  /** Registers this process's answer to the others. */
  onAsked(topic: string, answer: (question: string) => Promise<string>): void;
}
