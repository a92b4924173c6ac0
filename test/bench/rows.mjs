/**
 * Rows of a table by their names, in the order of the table: all when none is named.
 * @param {readonly string[]} names may hold several each, with commas between them
 */
export function chooseRows(rows, names) {
  const wanted = names.flatMap((name) => name.split(',')).map((name) => name.trim());
  const unknown = wanted.filter((name) => !rows.some((row) => row.name === name));
  if (unknown.length > 0) {
    const known = rows.map(({ name }) => name).join(', ');
    throw new Error(`there is no row ${unknown.join(', ')}: the rows are ${known}`);
  }
  return wanted.length === 0 ? rows : rows.filter(({ name }) => wanted.includes(name));
}

/** Turns the order of sides in each second round: the first to be measured has no advantage. */
export function alternate(sides, round) {
  return round % 2 === 0 ? sides : sides.toReversed();
}

/** A number with its significant digits; a dash when there is none. */
export function formatFigure(value) {
  if (!Number.isFinite(value)) return '-';
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}
