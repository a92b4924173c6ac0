/** What all caches of a process may take together, by default. Apart from the budget, so that settings load no library. */
export const CACHE_BYTES = 256 * 1024 * 1024;
