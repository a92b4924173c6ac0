/** Combines the metrics of several processes; each text is in Prometheus' text format. */
export function sumExpositions(texts: readonly string[]): string {
  const families = new Map<string, Family>();
  for (const text of texts) addText(families, text);
  return [...families.values()].map(formatFamily).join('');
}

interface Family {
  /** `# HELP` and `# TYPE`. */
  readonly head: string[];
  readonly combine: Combine;
  /** By name and labels. */
  readonly series: Map<string, number>;
}

type Combine = (a: number, b: number) => number;

const sum: Combine = (a, b) => a + b;

/**
 * Metrics that are equal in all processes, because they belong to the store or the machine; and metrics whose sum has
 * no meaning.
 */
const OF_ALL =
  /^(xsvc_(objects|store_|log_|shared_log_(reachable|position|used|quota)|leader_token)|nodejs_(version_info|eventloop_lag)|process_max_fds$)/;

function getCombination(name: string): Combine {
  if (name === 'process_start_time_seconds') return Math.min;
  return OF_ALL.test(name) ? Math.max : sum;
}

function addText(families: Map<string, Family>, text: string): void {
  const known = new Set(families.keys());
  let family: Family | undefined;
  for (const line of text.split('\n')) {
    const name = /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1];
    if (name !== undefined) {
      family = families.get(name) ?? { head: [], combine: getCombination(name), series: new Map() };
      families.set(name, family);
      if (!known.has(name)) family.head.push(line);
    } else if (line !== '') addSample(family, line);
  }
}

function addSample(family: Family | undefined, line: string): void {
  // A label may contain spaces, a value cannot.
  const end = line.lastIndexOf(' ');
  const [key, value] = [line.slice(0, end), getNumber(line.slice(end + 1))];
  const before = family?.series.get(key);
  family?.series.set(key, before === undefined ? value : family.combine(before, value));
}

function getNumber(text: string): number {
  return text.endsWith('Inf') ? Number(text.replace('Inf', 'Infinity')) : Number(text);
}

function formatText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf';
}

function formatFamily({ head, series }: Family): string {
  const lines = [...series].map(([key, value]) => `${key} ${formatText(value)}`);
  return `${[...head, ...lines].join('\n')}\n`;
}
