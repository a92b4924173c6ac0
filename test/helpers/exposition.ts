/** One line of Prometheus' text format that has a value. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\n"])*"';
// Numbers as Go reads them, to whom the case of NaN is all one.
const VALUE = '[+-]?(?:\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|Inf)|[Nn]a[Nn]';
const HELP_LINE = new RegExp(`^# HELP (${NAME}) (\\S.*)$`);
const TYPE_LINE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary|untyped)$`);
const SAMPLE_LINE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)?\\})? (${VALUE})$`);

/**
 * Reads Prometheus' text format (0.0.4), and holds it to what `promtool check metrics` looks at: a family has one HELP
 * and one TYPE before its samples, which are together; no series is there twice; counters end in `_total`; buckets of a
 * histogram are cumulative, and the last one is the count.
 * @throws Error that names the line
 */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, { name: string; help: string; type: string; samples: Sample[] }>();
  const series = new Set<string>();
  let help: readonly string[] | undefined;
  let family: { name: string; help: string; type: string; samples: Sample[] } | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue;
    const fault = (why: string): Error => new Error(`${why}: ${line}`);
    if (line.startsWith('# HELP')) {
      help = HELP_LINE.exec(line)?.slice(1);
      if (help === undefined) throw fault('not a HELP');
    } else if (line.startsWith('#')) {
      const [, name = '', type = ''] = TYPE_LINE.exec(line) ?? [];
      if (name === '' || help?.[0] !== name) throw fault('not the TYPE of the HELP before it');
      if (families.has(name)) throw fault('the family is there twice');
      if ((type === 'counter') !== name.endsWith('_total')) throw fault('only counters end in _total');
      family = { name, help: help[1] ?? '', type, samples: [] };
      families.set(name, family);
    } else {
      const sample = readSample(line);
      if (family === undefined || familyOf(sample.name, family.type) !== family.name)
        throw fault('not in its family');
      const key = `${sample.name}${JSON.stringify(Object.entries(sample.labels).sort())}`;
      if (series.has(key)) throw fault('the series is there twice');
      series.add(key);
      family.samples.push(sample);
    }
  }
  for (const one of families.values()) if (one.type === 'histogram') checkBuckets(one);
  return families;
}

function readSample(line: string): Sample {
  const [, name, labels = '', value] = SAMPLE_LINE.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`not a sample: ${line}`);
  const pairs = [...labels.matchAll(new RegExp(LABEL, 'g'))].map(([pair]) => {
    const mark = pair.indexOf('=');
    return [pair.slice(0, mark), unescaped(pair.slice(mark + 2, -1))] as const;
  });
  const named = Object.fromEntries(pairs);
  if (Object.keys(named).length !== pairs.length) throw new Error(`a label is there twice: ${line}`);
  return { name, labels: named, value: Number(value.replace('Inf', 'Infinity')) };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_all, one: string) => (one === 'n' ? '\n' : one));
}

function familyOf(name: string, type: string): string {
  return type === 'histogram' ? name.replace(/_(bucket|sum|count)$/, '') : name;
}

function checkBuckets({ name, samples }: Family): void {
  const open = new Map<string, { le: number; count: number }>();
  for (const { name: part, labels, value } of samples) {
    const { le, ...rest } = labels;
    const key = JSON.stringify(Object.entries(rest).sort());
    const last = open.get(key);
    if (part === `${name}_bucket`) {
      const bound = le === '+Inf' ? Infinity : Number(le);
      if (le === undefined || Number.isNaN(bound)) throw new Error(`${name}: a bucket without a bound`);
      if (last !== undefined && (bound <= last.le || value < last.count))
        throw new Error(`${name}${key}: the buckets are not cumulative`);
      open.set(key, { le: bound, count: value });
    } else if (part === `${name}_count` && (last?.le !== Infinity || last.count !== value)) {
      throw new Error(`${name}${key}: the bucket +Inf is not the count`);
    } else if (part === `${name}_sum` && last?.le !== Infinity) {
      throw new Error(`${name}${key}: there is no bucket +Inf`);
    }
  }
}
