import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { formatConflict } from '../../../src/kubernetes/apply/managers/conflict-text.js';
import {
  afterApply,
  afterUpdate,
  type ManagerOfWrite,
} from '../../../src/kubernetes/apply/managers/field-manager.js';
import { ApplyConflict, type OwnedVersions } from '../../../src/kubernetes/apply/managers/managed.js';
import {
  readEntries,
  writeEntries,
  type ManagedState,
} from '../../../src/kubernetes/apply/managers/state.js';
import { objectType } from '../../../src/kubernetes/apply/types/from-schema.js';
import type { JsonObject } from '../../../src/model/object.js';

interface RecordedObject extends JsonObject {
  readonly metadata: JsonObject & { readonly managedFields?: JsonObject[] };
}

/** A step of a sequence that the field manager of Kubernetes ran, with its answer. */
interface Step {
  readonly name: string;
  readonly kind: 'apply' | 'update';
  readonly live: RecordedObject;
  readonly object: RecordedObject;
  readonly manager: string;
  readonly force?: boolean;
  readonly out?: RecordedObject;
  readonly causes?: readonly { readonly message: string; readonly field: string }[];
}

const text = gunzipSync(readFileSync(new URL('field-manager.json.gz', import.meta.url))).toString();
const { schema, cases } = JSON.parse(text) as {
  readonly schema: JsonObject;
  readonly cases: readonly Step[];
};
const type = objectType(schema, { isOpen: false });
const versions: OwnedVersions = { convert: (object) => object, ownable: (fields) => fields };

function withoutManagers({
  metadata: { managedFields: _, ...metadata },
  ...rest
}: RecordedObject): JsonObject {
  return { ...rest, metadata };
}

/** The entries in an order that does not depend on their times. */
function entriesOf(entries: readonly JsonObject[] | undefined): readonly string[] {
  return (entries ?? []).map(({ time: _, ...entry }) => JSON.stringify(Object.entries(entry).sort())).sort();
}

function timeOf({ out, manager, kind }: Step): string {
  const operation = kind === 'apply' ? 'Apply' : 'Update';
  const entry = out?.metadata.managedFields?.find(
    (one) => one.manager === manager && one.operation === operation,
  );
  return typeof entry?.time === 'string' ? entry.time : '2026-01-01T00:00:00Z';
}

function run(step: Step): { readonly object: unknown; readonly state: ManagedState } {
  const live = { value: withoutManagers(step.live), type };
  const object = { value: withoutManagers(step.object), type };
  const state = readEntries(step.live.metadata.managedFields);
  const sender: ManagerOfWrite = {
    manager: step.manager,
    apiVersion: 'example.com/v1',
    subresource: '',
    now: timeOf(step),
  };
  if (step.kind === 'update') {
    // Without managers, only those of a new object are kept.
    const isKept = state.managers.size > 0 || step.live.metadata.uid === undefined;
    const next = isKept ? afterUpdate(state, { before: live, after: object }, sender, versions) : state;
    return { object: object.value, state: next };
  }
  const applied = afterApply(
    state,
    { live, applied: object, isForced: step.force === true },
    sender,
    versions,
  );
  return { object: (applied.object ?? live).value, state: applied.state };
}

describe('answers of the field manager of Kubernetes', () => {
  test.each(cases.map((step) => [`${step.kind} of ${step.manager}, ${step.name}`, step] as const))(
    '%s',
    (_, step) => {
      if (step.causes !== undefined) {
        const conflict = catchConflict(() => run(step));
        const ours = conflict?.conflicts.map((one) => formatConflict(one));
        const texts = (causes: Step['causes']): readonly string[] =>
          (causes ?? []).map(({ field, message }) => `${field}: ${message}`).sort();
        expect(texts(ours)).toEqual(texts(step.causes));
        return;
      }
      const { object, state } = run(step);
      expect(object).toEqual(step.out && withoutManagers(step.out));
      expect(entriesOf(writeEntries(state))).toEqual(entriesOf(step.out?.metadata.managedFields));
    },
  );
});

function catchConflict(work: () => unknown): ApplyConflict | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof ApplyConflict) return error;
    throw error;
  }
}
