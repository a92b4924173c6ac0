import { badRequest } from '../../errors.js';
import { isNamespaced } from '../../model/full-name.js';
import { isDnsLabel } from '../../model/names-and-labels.js';
import type { Resource } from '../../model/resource.js';
import type { ListPage } from '../../service/verbs.js';
import { countFitting, ITEMS_BYTES_MAX, jsonBytes, objectTooLarge } from '../answer/bounds.js';
import { FIELDS, readFields, type Project } from '../answer/fields.js';
import type { AgentListOptions, AgentReads } from '../caller.js';
import { CONTINUE, findModel, MODEL, shownModel } from '../names.js';
import { defineTool, READS, type ToolAnswer } from '../tool.js';

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 1_000;
/** Objects that are in memory at the same time. */
const PART = 20;

export const LIST_TOOL = defineTool({
  name: 'list',
  title: 'List objects',
  description:
    'Lists objects of a model. `total` is the number of all matches. When the answer has `continue`, call again with it and the same other arguments. Use `fields` to keep answers small.',
  parameters: {
    model: MODEL,
    labelSelector: {
      type: 'texts',
      about: 'Requirements on labels. Example: "app=web,tier in (gold,silver)"',
      isOptional: true,
    },
    fieldSelector: {
      type: 'texts',
      about:
        'Requirements on indexed fields, which `schema` names. Example: "spec.tier=gold,spec.replicas>2"',
      isOptional: true,
    },
    filter: {
      type: 'texts',
      about: `A CEL expression over indexed fields and labels. Example: 'spec.tier == "gold" && !has(spec.owner)'`,
      isOptional: true,
    },
    search: {
      type: 'text',
      about: `Words in the texts of the objects, if the model has a text index. Example: 'disk "read only" -test'`,
      isOptional: true,
    },
    sort: {
      type: 'texts',
      about:
        'Order by indexed fields, each as "<field>[,asc|desc]". Example: "metadata.creationTimestamp,desc"',
      isOptional: true,
    },
    namespace: {
      type: 'text',
      about: 'Only objects of this namespace; for namespaced models. Example: "default"',
      isOptional: true,
    },
    limit: {
      type: 'integer',
      min: 1,
      max: LIMIT_MAX,
      about: `Most objects in the answer; it may have fewer. Default ${LIMIT_DEFAULT}. Example: 20`,
      isOptional: true,
    },
    continue: CONTINUE,
    fields: FIELDS,
  },
  ...READS,
  run: async ({ model, limit = LIMIT_DEFAULT, fields, namespace, ...options }, caller) => {
    const project = readFields(fields);
    const resource = await findModel(caller, model);
    const scope = inNamespace(resource, namespace);
    return new Collection(caller.reads, resource, project).read({ ...options, ...scope }, limit);
  },
});

function inNamespace(resource: Resource, namespace: string | undefined): Pick<AgentListOptions, 'namespace'> {
  if (namespace === undefined) return {};
  if (!isNamespaced(resource))
    throw badRequest(`namespace: objects of ${shownModel(resource)} are in no namespace; leave it out`);
  if (!isDnsLabel(namespace)) throw badRequest('namespace: it must be the name of a namespace');
  return { namespace };
}

/** Reads objects part by part until an answer is full. */
class Collection {
  readonly #items: unknown[] = [];
  /** About objects that cannot be converted. */
  readonly #warnings = new Set<string>();
  #bytes = 0;

  constructor(
    private readonly reads: AgentReads,
    private readonly resource: Resource,
    private readonly project: Project,
  ) {}

  async read(options: AgentListOptions, limit: number): Promise<ToolAnswer> {
    let first: ListPage | undefined;
    let token = options.continue;
    do {
      const part = { ...options, ...(token !== undefined && { continue: token }) };
      const page = await this.#list(part, Math.min(PART, limit - this.#items.length));
      first ??= page;
      for (const text of page.warnings ?? []) this.#warnings.add(text);
      const items = page.items.map((object) => this.project(object));
      const count = countFitting(items, ITEMS_BYTES_MAX - this.#bytes);
      if (count < items.length) {
        token = await this.#cut(part, page, count, token);
        break;
      }
      this.#add(items);
      token = page.metadata.continue;
    } while (token !== undefined && this.#items.length < limit);
    const { total, metadata } = first;
    return {
      total,
      resourceVersion: metadata.resourceVersion,
      items: this.#items,
      ...(this.#warnings.size > 0 && { warnings: [...this.#warnings] }),
      ...(token !== undefined && { continue: token }),
    };
  }

  #list(options: AgentListOptions, limit: number): Promise<ListPage> {
    return this.reads.list(this.resource, { ...options, limit });
  }

  #add(items: readonly unknown[]): void {
    this.#items.push(...items);
    this.#bytes += jsonBytes(items);
  }

  /**
   * Adds the objects of a part that fit.
   * @returns the token for the others
   */
  async #cut(
    options: AgentListOptions,
    page: ListPage,
    count: number,
    token: string | undefined,
  ): Promise<string | undefined> {
    const [object] = page.items;
    if (count === 0) {
      if (this.#items.length > 0) return token;
      throw objectTooLarge(
        `${shownModel(this.resource)} "${object?.metadata.name ?? ''}"`,
        object && this.project(object),
      );
    }
    const shorter = await this.#list(options, count);
    this.#add(shorter.items.map((one) => this.project(one)));
    return shorter.metadata.continue;
  }
}
