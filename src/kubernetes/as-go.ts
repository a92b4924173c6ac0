import { isRecord } from '../lib/json/json.js';
import type { JsonObject } from '../model/object.js';
import type { MessageField, MessageType } from './message-types.js';

/**
 * Gives an object the fields that Kubernetes writes, in place. Empty lists and maps are left out, and the zeros, empty texts and
 * false values of some fields; some parts are there without any members. The value may have any form.
 */
export function writeAsGo(value: unknown, { fields, always }: MessageType): void {
  if (!isRecord(value)) return;
  for (const { name, type, isInline, isRequired } of always)
    if (isPart(type) && !isInline && !isRequired && value[name] === undefined && mayBeEmpty(type))
      value[name] = {};
  for (const field of fields) {
    if (field === undefined) continue;
    if (field.isInline && typeof field.type === 'object') writeAsGo(value, field.type);
    else if (Object.hasOwn(value, field.name)) writeField(value, field);
  }
}

/** An object of a message without values, as Kubernetes compares a new one with it. */
export function blankOf({ fields }: MessageType): JsonObject {
  const blank: JsonObject = {};
  for (const { name, type, form, isAlways, isInline, isRequired } of fields.filter(
    (one) => one !== undefined,
  ))
    if (isInline && isPart(type)) Object.assign(blank, blankOf(type));
    else if (form !== 'single' && isRequired) blank[name] = null;
    else if (isAlways && isPart(type)) blank[name] = blankOf(type);
  return blank;
}

/** True for a part of which no field must be stated. */
function mayBeEmpty({ fields }: MessageType): boolean {
  return fields.every((field) => field?.isRequired !== true);
}

/** True for messages whose JSON is an object of their fields. */
function isPart(type: MessageField['type']): type is MessageType {
  return typeof type === 'object' && type.form === undefined && !type.isAlone;
}

function writeField(message: Record<string, unknown>, field: MessageField): void {
  const { name, form, type, isRequired } = field;
  const value = message[name];
  const items = itemsOf(value);
  const isEmpty = form === 'single' ? field.isOmittedAtZero && isZero(value) : items.length === 0;
  if (isEmpty && !isRequired) delete message[name];
  else if (isPart(type)) for (const item of form === 'single' ? [value] : items) writeAsGo(item, type);
}

function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}

function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.map((item: unknown) => item);
  return isRecord(value) ? Object.values(value) : [value];
}
