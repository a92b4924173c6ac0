/** @throws Error with the problem when a condition does not hold */
export function expect(holds: boolean, problem: string, ...shown: readonly unknown[]): void {
  if (!holds) throw new Error([problem, ...shown.map((one) => JSON.stringify(one))].join(': '));
}
