/** Texts with a vocabulary of 50,000 words, of which a few are frequent (Zipf's law). */
const WORDS = 50_000;
const TITLE_WORDS = 8;
const BODY_WORDS = 60;

const SYLLABLES = [...'bdfghklmnprstv'].flatMap((one) => [...'aeiou'].map((other) => one + other));
const { length } = SYLLABLES;

/** The word of a rank, from 0. Words of neighbouring ranks begin with different letters. */
export function wordOf(rank) {
  const number = (rank * 31_337) % WORDS;
  const syllables = [number % length, Math.floor(number / length) % length, Math.floor(number / length ** 2)];
  return syllables.map((at) => SYLLABLES[at]).join('');
}

const VOCABULARY = Array.from({ length: WORDS }, (_, rank) => wordOf(rank));
const SUMS = new Float64Array(WORDS);
VOCABULARY.forEach((_, rank) => (SUMS[rank] = (SUMS[rank - 1] ?? 0) + 1 / (rank + 1)));

/** The object with a number. */
export function noteAt(number) {
  let state = Math.imul(number + 1, 0x9e3779b1) >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const words = (count) => Array.from({ length: count }, () => VOCABULARY[rankAt(random())]).join(' ');
  const title = words(TITLE_WORDS);
  return { name: `note-${String(number).padStart(7, '0')}`, title, body: words(BODY_WORDS) };
}

/** The first rank whose sum is above a share of all. */
function rankAt(share) {
  const wanted = share * SUMS[WORDS - 1];
  let [low, high] = [0, WORDS - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (SUMS[middle] > wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}
