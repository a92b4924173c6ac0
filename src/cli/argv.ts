/**
 * Takes `--dry-run` as kubectl has it too: `client` and `server` are both what it is here, `none` is to leave it out.
 * A value must stand behind a `=`, for what follows a blank may be a name.
 */
export function withPlainDryRun(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return argv.flatMap((word, at) => {
    if (end >= 0 && at > end) return [word];
    if (/^--dry-run=(client|server|true)$/.test(word)) return ['--dry-run'];
    return /^--dry-run=(none|false)$/.test(word) ? [] : [word];
  });
}
