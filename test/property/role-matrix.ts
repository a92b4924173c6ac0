import { Random } from '../helpers/seed.js';
import { DOORS } from './role-doors.js';
import { WRITE_DOORS } from './role-write-doors.js';
import { makeWorld } from './role-world.js';

/**
 * Sends the requests of random members, and compares the answers with what their rules allow.
 * @returns the number of cases, at least so many
 */
export async function visitDoors(seed: number, least: number): Promise<number> {
  let cases = 0;
  for (let run = 0; cases < least; run++) {
    const world = await makeWorld(new Random(seed + run));
    try {
      for (const member of world.members)
        for (const [door, visit] of Object.entries({ ...DOORS, ...WRITE_DOORS }))
          await visit({ world, member, count: () => (cases += 1) }).catch((error: unknown) => {
            const rules = JSON.stringify([member.groups, member.memos, member.folders]);
            throw new Error(`seed ${seed + run}, ${member.user} at ${door}, with ${rules}`, { cause: error });
          });
    } finally {
      await world.opened.close();
    }
  }
  return cases;
}
