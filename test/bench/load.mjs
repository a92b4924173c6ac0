import { spawnSync } from 'node:child_process';
import { answersPerSecond } from '../../dist/cli/bench/load.js';
import { runWrk } from './wrk.mjs';

const HAS_WRK = spawnSync('which', ['wrk']).status === 0;
/** Nine digits of each request are those of its number, which no other request of this program has. */
export const NUMBER = '#'.repeat(9);
const NUMBERS_OF_A_LOAD = 1_000_000;
let loads = 0;

/**
 * Puts load on a server: each connection sends the next request after an answer. It is wrk's when that is installed and the
 * time is whole seconds, otherwise this process's.
 * @param {{ url: string, connections: number, seconds: number, requests: readonly Buffer[] }} options the requests are sent in
 *   turn, again and again
 * @returns {Promise<{ rate: number, count: number }>} answers per second, and how many they were
 */
export async function putLoad({ url, connections, seconds, requests }) {
  loads += 1;
  const first = loads * NUMBERS_OF_A_LOAD;
  const texts = requests.map((request) => request.toString('latin1'));
  if (HAS_WRK && Number.isInteger(seconds))
    return runWrk(url, { connections, seconds, lua: luaOf(texts, first) });
  const request = (n) => {
    const digits = String(first + n).padStart(NUMBER.length, '0');
    return Buffer.from(texts[n % texts.length].replaceAll(NUMBER, digits), 'latin1');
  };
  const rate = await answersPerSecond({ url, connections, durationMs: seconds * 1000, request });
  return { rate, count: rate * seconds };
}

function luaOf(texts, first) {
  return `
local requests = { ${texts.map((text) => JSON.stringify(text)).join(',\n')} }
local number = ${first}
request = function()
  number = number + 1
  local text = requests[number % #requests + 1]
  return (text:gsub("${NUMBER}", string.format("%0${NUMBER.length}d", number)))
end
`;
}
