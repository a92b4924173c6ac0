import type { Cause, CauseReason } from '../errors.js';
import { isRecord } from '../lib/json/json.js';
import { EXPIRES_AT, TTL } from './expiration.js';
import type { ObjectDraft } from './object.js';
import { OWNERS_PATH } from './owner-references.js';
import { formatValue, missingCause } from './validate/violation.js';

/** Groups and key prefixes with this suffix belong to the platform. */
export const PLATFORM_SUFFIX = 'platform.run';

/** Limits of names, in characters. */
export const NAME_LENGTH_MAX = 253;
export const KEY_PREFIX_LENGTH_MAX = 253;
export const KEY_NAME_LENGTH_MAX = 63;
export const LABEL_VALUE_LENGTH_MAX = 63;
export const DNS_LABEL_LENGTH_MAX = 63;
/** Least number of random characters after a `generateName` prefix. */
export const GENERATED_SUFFIX_LENGTH = 5;
/** Their usual number. */
export const GENERATED_SUFFIX_LENGTH_MAX = 8;
/** Each label is an entry of an index. This number is written in a millisecond or two. */
export const LABELS_MAX = 256;
export const FINALIZERS_MAX = 256;
/** Limit for all keys and values of one object's annotations, in bytes of UTF-8. */
export const ANNOTATIONS_BYTES_MAX = 256 * 1024;

const NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const NAME_PREFIX = /^[a-z0-9][a-z0-9-]*$/;
const DNS_SUBDOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;
const DNS_SUBDOMAIN_PREFIX = /^[a-z0-9][a-z0-9-]*(?:\.[a-z0-9][a-z0-9-]*)*$/;
const SEGMENT = /^[A-Za-z0-9](?:[-.:_@A-Za-z0-9]*[A-Za-z0-9])?$/;
const SEGMENT_PREFIX = /^[A-Za-z0-9][-.:_@A-Za-z0-9]*$/;
const QUALIFIED_NAME = /^[A-Za-z0-9](?:[-._A-Za-z0-9]*[A-Za-z0-9])?$/;
const PASCAL_CASE = /^[A-Z][A-Za-z0-9]*$/;

/** An error of a name: its kind, and a text for people. */
export interface NameFault {
  readonly reason: CauseReason;
  readonly message: string;
}

/**
 * The form of `metadata.name` in a model: letters, digits and `-`, in `label` at most 63 characters, or a DNS `subdomain`,
 * which may have dots. A `segment` may also have capitals, `:`, `_` and `@`, like the names of roles in Kubernetes.
 */
export type NameForm = 'plain' | 'label' | 'subdomain' | 'segment';

interface NameRule {
  readonly lengthMax: number;
  readonly prefixLengthMax: number;
  readonly name: RegExp;
  readonly prefix: RegExp;
  readonly characters: string;
}

const PLAIN: NameRule = {
  lengthMax: NAME_LENGTH_MAX,
  prefixLengthMax: NAME_LENGTH_MAX - GENERATED_SUFFIX_LENGTH,
  name: NAME,
  prefix: NAME_PREFIX,
  characters: 'must consist of lowercase letters, digits and "-"',
};
const NAME_RULES: Readonly<Record<NameForm, NameRule>> = {
  plain: PLAIN,
  label: {
    ...PLAIN,
    lengthMax: DNS_LABEL_LENGTH_MAX,
    prefixLengthMax: DNS_LABEL_LENGTH_MAX - GENERATED_SUFFIX_LENGTH_MAX,
  },
  subdomain: {
    ...PLAIN,
    name: DNS_SUBDOMAIN,
    prefix: DNS_SUBDOMAIN_PREFIX,
    characters: 'must consist of lowercase letters, digits and "-", in parts between dots',
  },
  segment: {
    ...PLAIN,
    name: SEGMENT,
    prefix: SEGMENT_PREFIX,
    characters: 'must consist of letters, digits, ".", ":", "_", "@" and "-"',
  },
};

/** Errors of a `metadata.name`; empty when it is valid. */
export function nameFaults(name: string, form: NameForm = 'plain'): NameFault[] {
  const { lengthMax, name: pattern, characters } = NAME_RULES[form];
  return faults(name, lengthMax, pattern, `${characters}, and start and end with a letter or digit`);
}

/** Errors of a `metadata.generateName`: the start of a name, with room for the random end. */
export function generateNameFaults(prefix: string, form: NameForm = 'plain'): NameFault[] {
  const { prefixLengthMax, prefix: pattern, characters } = NAME_RULES[form];
  return faults(prefix, prefixLengthMax, pattern, `${characters}, and start with a letter or digit`);
}

/** Errors of a label or annotation key, `<prefix>/<name>` with an optional prefix. */
export function keyFaults(key: string): NameFault[] {
  const slash = key.indexOf('/');
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const name = key.slice(slash + 1);
  return [
    ...(prefix === undefined
      ? []
      : labelled(
          "the key's prefix",
          faults(prefix, KEY_PREFIX_LENGTH_MAX, DNS_SUBDOMAIN, 'must be a lowercase DNS subdomain'),
        )),
    ...labelled(
      "the key's name",
      faults(
        name,
        KEY_NAME_LENGTH_MAX,
        QUALIFIED_NAME,
        'must consist of letters, digits, "-", "_" and ".", and start and end with a letter or digit',
      ),
    ),
  ];
}

/** Errors of a label's value: empty, or at most 63 characters with letters or digits at both ends. */
export function labelValueFaults(value: string): NameFault[] {
  if (value === '') return [];
  return labelled(
    'the value',
    faults(
      value,
      LABEL_VALUE_LENGTH_MAX,
      QUALIFIED_NAME,
      'must be empty, or consist of letters, digits, "-", "_" and ".", and start and end with a letter or digit',
    ),
  );
}

/** True when the text may be a model's group: empty, or a lowercase DNS subdomain of at most 253 characters. */
export function isGroup(text: string): boolean {
  return text === '' || isDnsSubdomain(text);
}

/** True for a lowercase DNS subdomain of at most 253 characters. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= NAME_LENGTH_MAX && DNS_SUBDOMAIN.test(text);
}

/** True for a lowercase DNS label of at most 63 characters: a version, plural, singular or short name. */
export function isDnsLabel(text: string): boolean {
  return text.length <= DNS_LABEL_LENGTH_MAX && NAME.test(text);
}

/** True for a kind: a PascalCase identifier of at most 63 characters. */
export function isKind(text: string): boolean {
  return text.length <= DNS_LABEL_LENGTH_MAX && PASCAL_CASE.test(text);
}

/** True when only the platform may register models in the group: the empty one, and the platform's domain. */
export function isReservedGroup(group: string): boolean {
  return group === '' || isPlatformDomain(group);
}

/**
 * True when plugins must not use a label or annotation key: without a prefix, or with one of the platform's domain.
 */
export function isReservedKey(key: string): boolean {
  const slash = key.indexOf('/');
  return slash < 0 || isPlatformDomain(key.slice(0, slash));
}

/** The part of metadata with names. May come unchecked from a client. */
export interface NamedMetadata {
  readonly labels?: unknown;
  readonly annotations?: unknown;
}

/** Annotations of the platform that plugins may set. */
const SHARED_ANNOTATIONS: ReadonlySet<string> = new Set([EXPIRES_AT, TTL]);

/** Causes for each label and annotation key that plugins must not use; empty when all keys are allowed. */
export function checkPluginKeys(metadata: NamedMetadata | undefined): Cause[] {
  return (['labels', 'annotations'] as const).flatMap((field) =>
    getEntries(metadata?.[field])
      .filter(([key]) => isReservedKey(key) && !(field === 'annotations' && SHARED_ANNOTATIONS.has(key)))
      .map(([key]) => ({
        field: `metadata.${field}.${key}`,
        reason: 'FieldValueForbidden' as const,
        message: `the key is reserved: a plugin must use a prefix of its own domain, not ${PLATFORM_SUFFIX}`,
      })),
  );
}

/**
 * Causes for everything in the metadata that breaks the naming rules: a missing or wrong name, keys, label values,
 * the size of the annotations. Values of a wrong type are left to the schema.
 * @param form of names in a model that follows Kubernetes' rules
 */
export function checkNames(object: ObjectDraft, form?: NameForm): Cause[] {
  const metadata: Record<string, unknown> = isRecord(object.metadata) ? object.metadata : {};
  const { labels, annotations, ownerReferences } = metadata;
  return [
    ...checkName(metadata, form),
    ...checkLabels(labels),
    ...checkAnnotations(annotations, form !== undefined),
    ...(ownerReferences === undefined ? [] : checkOwners(ownerReferences)),
  ];
}

function checkName({ name, generateName }: Record<string, unknown>, form?: NameForm): Cause[] {
  const prefix = typeof generateName === 'string' && generateName !== '' ? generateName : undefined;
  const causes =
    prefix === undefined ? [] : getCauses('metadata.generateName', generateNameFaults(prefix, form));
  if (typeof name === 'string' && name !== '')
    causes.push(...getCauses('metadata.name', nameFaults(name, form)));
  else if (prefix === undefined && (name === undefined || name === null || name === '')) {
    causes.push(missingCause('metadata.name'));
  }
  return causes;
}

function checkLabels(labels: unknown): Cause[] {
  return entriesUpTo(LABELS_MAX, labels).flatMap(([key, value]) =>
    getCauses(`metadata.labels.${key}`, [
      ...keyFaults(key),
      ...(typeof value === 'string' ? labelValueFaults(value) : []),
    ]),
  );
}

/** Checks rules of owners that the schema cannot express: the form of an apiVersion, and at most one controller. */
function checkOwners(references: unknown): Cause[] {
  const owners = Array.isArray(references)
    ? references.map((one: unknown) => (isRecord(one) ? one : {}))
    : [];
  const first = owners.findIndex(({ controller }) => controller === true);
  return owners.flatMap(({ apiVersion, controller }, i) => {
    const at = `${OWNERS_PATH}[${i}]`;
    const causes: Cause[] = [];
    if (typeof apiVersion === 'string' && apiVersion !== '' && !isApiVersion(apiVersion)) {
      const message = `must be <group>/<version>, or a version of the empty group, got ${formatValue(apiVersion)}`;
      causes.push({ field: `${at}.apiVersion`, reason: 'FieldValueInvalid', message });
    }
    if (controller === true && i !== first) {
      const message = `only one owner can be the controller, and ${OWNERS_PATH}[${first}] is`;
      causes.push({ field: `${at}.controller`, reason: 'FieldValueInvalid', message });
    }
    return causes;
  });
}

/** True for a group and a version, or only a version for the empty group. */
function isApiVersion(text: string): boolean {
  const [version = '', group = '', ...rest] = text.split('/').reverse();
  return rest.length === 0 && isDnsLabel(version) && isGroup(group) && !text.startsWith('/');
}

/** Greatest number of UTF-8 bytes of a UTF-16 unit. Few annotations need an exact count. */
const UNIT_BYTES_MAX = 3;

/** UTF-8 bytes of keys and values; 0 when they are certainly within the limit. */
function getBytes(entries: readonly (readonly [string, unknown])[]): number {
  const texts = entries.flatMap(([key, value]) => (typeof value === 'string' ? [key, value] : [key]));
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  if (units * UNIT_BYTES_MAX <= ANNOTATIONS_BYTES_MAX) return 0;
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function checkAnnotations(annotations: unknown, isKubernetes: boolean): Cause[] {
  const entries = getEntries(annotations);
  // In Kubernetes, unlike that of a label, the prefix may have capitals.
  const causes = entries.flatMap(([key]) =>
    getCauses(`metadata.annotations.${key}`, keyFaults(isKubernetes ? key.toLowerCase() : key)),
  );
  const bytes = getBytes(entries);
  if (bytes > ANNOTATIONS_BYTES_MAX) {
    causes.push({
      field: 'metadata.annotations',
      reason: 'FieldValueTooLong',
      message: `must have at most ${ANNOTATIONS_BYTES_MAX} bytes in all, got ${bytes}`,
    });
  }
  return causes;
}

function faults(text: string, lengthMax: number, shape: RegExp, rule: string): NameFault[] {
  if (text === '') return [{ reason: 'FieldValueInvalid', message: 'must not be empty' }];
  const found: NameFault[] = [];
  if (text.length > lengthMax) {
    found.push({
      reason: 'FieldValueTooLong',
      message: `must have at most ${lengthMax} characters, got ${text.length}`,
    });
  }
  if (!shape.test(text))
    found.push({ reason: 'FieldValueInvalid', message: `${rule}, got ${formatValue(text)}` });
  return found;
}

function labelled(what: string, found: readonly NameFault[]): NameFault[] {
  return found.map((fault) => ({ ...fault, message: `${what} ${fault.message}` }));
}

function getCauses(field: string, found: readonly NameFault[]): Cause[] {
  return found.map((fault) => ({ field, ...fault }));
}

function isPlatformDomain(domain: string): boolean {
  return domain === PLATFORM_SUFFIX || domain.endsWith(`.${PLATFORM_SUFFIX}`);
}

/** Empty for a map with more entries: the schema reports the number. */
function entriesUpTo(max: number, map: unknown): [string, unknown][] {
  return isRecord(map) && Object.keys(map).length <= max ? getEntries(map) : [];
}

function getEntries(map: unknown): [string, unknown][] {
  return isRecord(map) ? Object.entries(map) : [];
}
