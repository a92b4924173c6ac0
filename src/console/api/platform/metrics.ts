import { send } from '../http.js';

/** A line of Prometheus' text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of selected metrics. */
export class Samples {
  readonly #samples: readonly Sample[];

  constructor(text: string, names: RegExp) {
    this.#samples = text.split('\n').flatMap((line) => sampleIn(line, names) ?? []);
  }

  /** Undefined when the service does not have it. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const wanted = Object.entries(labels);
    return this.#samples.find(
      (sample) => sample.name === name && wanted.every(([key, value]) => sample.labels[key] === value),
    )?.value;
  }

  /** All samples of a name, such as the buckets of a histogram. */
  all(name: string): readonly Sample[] {
    return this.#samples.filter((sample) => sample.name === name);
  }
}

function sampleIn(line: string, names: RegExp): Sample | undefined {
  const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined || !names.test(name)) return undefined;
  const pairs = [...labels.matchAll(/(?:^|,)(\w+)="((?:[^"\\]|\\.)*)"/g)];
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, key = '', text = '']) => [key, text])),
    value: Number(value),
  };
}

export async function readSamples(names: RegExp, signal?: AbortSignal): Promise<Samples> {
  const response = await send('/metrics', { signal, headers: { Accept: 'text/plain' } });
  return new Samples(await response.text(), names);
}
