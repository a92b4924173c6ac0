import { perItem, renderTemplate, type Template } from '../../lib/json/json-path-template.js';
import type { ExtensionObject } from '../../model/object.js';
import type { CliIo } from '../io.js';
import { paced } from './paced.js';

type Objects = AsyncIterable<ExtensionObject> | Iterable<ExtensionObject>;

/** Prints a template's result for one value, without a final line end, like kubectl. */
export function printTemplate(io: CliIo, template: Template, value: unknown): void {
  io.stdout.write(renderTemplate(template, value));
}

/**
 * Prints a template's result for a list. A template that goes through `.items[*]` once gets one object after another; any other one
 * needs all of them in memory.
 * @param head the members of the list without `items`
 */
export async function printTemplateOfList(
  io: CliIo,
  template: Template,
  head: object,
  objects: Objects,
): Promise<void> {
  const each = perItem(template);
  if (each === undefined) {
    const items: ExtensionObject[] = [];
    for await (const object of objects) items.push(object);
    printTemplate(io, template, { ...head, items });
    return;
  }
  io.stdout.write(each.before(head));
  let separator = '';
  for await (const object of paced(objects, io.stdout)) {
    if (io.stdout.isClosed) return;
    const text = each.ofItem(object);
    if (text === '') continue;
    io.stdout.write(separator + text);
    separator = each.separator;
  }
  io.stdout.write(each.after(head));
}
