import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../helpers/cpu.js';
import { PLATFORM_DESCRIPTION } from '../../../src/http/platform/endpoints.js';
import { Describer } from '../../../src/openapi/description.js';
import {
  describeAll,
  faultsOf,
  manyModels,
  operationsOf,
  renamed,
  person,
  valueOf,
} from '../../openapi/helpers.js';

describe('the description of 300 models', () => {
  it('is valid, and its operation ids are unique', async () => {
    const description = describeAll(manyModels(300));
    const document = valueOf(description.aggregated());
    const ids = operationsOf(document).map(({ operationId }) => operationId);
    expect(ids.length).toBeGreaterThanOrEqual(2700);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await faultsOf(document)).toEqual([]);
  });

  it('costs little to extend by a model', () => {
    const describer = new Describer(PLATFORM_DESCRIPTION);
    const models = manyModels(300);
    describeAll(models, [], describer).aggregated().json();
    const times = Array.from({ length: 9 }, (_, i) => {
      const added = renamed(person, { kind: `Added${i}`, plural: `added${i}` });
      models.push(added);
      const began = cpuMs();
      describeAll(models, [], describer).aggregated().json();
      return cpuMs() - began;
    }).toSorted((a, b) => a - b);
    console.log(`a model more: ${times.map((ms) => ms.toFixed(1)).join(', ')} ms`);
    // A full build takes many times as long; the bound leaves room for a busy machine.
    expect(times[4]).toBeLessThan(50);
  });
});
