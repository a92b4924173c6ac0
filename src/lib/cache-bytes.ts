/** Default memory limit for all caches of a process. In its own file, so that reading settings loads no library. */
export const CACHE_BYTES = 256 * 1024 * 1024;
