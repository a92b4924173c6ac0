/**
 * Accepts `--dry-run` in the forms of kubectl: `client` and `server` both mean a dry run, `none` means no flag. A value must follow
 * a `=`, because a separate word may be a name.
 */
export function withPlainDryRun(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return argv.flatMap((word, at) => {
    if (end >= 0 && at > end) return [word];
    if (/^--dry-run=(client|server|true)$/.test(word)) return ['--dry-run'];
    return /^--dry-run=(none|false)$/.test(word) ? [] : [word];
  });
}
