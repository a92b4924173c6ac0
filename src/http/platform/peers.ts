/** Other processes that answer on the same address: whichever is asked answers for all. */
export interface Peers {
  /** What the others answer; those that do not in time are left out. */
  ask(topic: string, question?: string): Promise<readonly string[]>;
  /** Has this process answer the others. */
  onAsked(topic: string, answer: (question: string) => Promise<string>): void;
}
