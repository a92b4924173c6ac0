import { expect } from 'vitest';
import { isRecord } from '../../src/lib/json/json.js';
import {
  ALLOWED,
  configuration,
  denied,
  VALIDATING,
  webhookEntry,
  type AdmissionReceiver,
} from './admission-webhook.js';
import { conditionsOf, define, DEFINITIONS, gadget, gadgets, gadgetsIn, type Spec } from './definitions.js';
import type { DaemonProcess } from './daemon.js';
import type { HttpAnswer } from './http.js';
import { waitFor } from './kubernetes.js';
import { entriesOf, expectConsistentManagers } from './managed-fields.js';
import type { Random } from './seed.js';
import { Written } from './written.js';

/** How requests are sent. */
export type Sender = Pick<DaemonProcess, 'send' | 'get'>;

/** A client that writes until the daemon is gone, and knows what was answered. */
export interface Load {
  /** One write, or several that belong together. Throws when the daemon is gone. */
  step(daemon: Sender): Promise<void>;
  /** After a start: all that was answered is there, nothing is half done. */
  verify(daemon: Sender): Promise<void>;
}

const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const MERGE = { 'content-type': 'application/merge-patch+json' };
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const POLICIES = `${ADMISSION}/validatingadmissionpolicies`;
const BINDINGS = `${ADMISSION}/validatingadmissionpolicybindings`;
const MAPS = '/api/v1/namespaces/default/configmaps';
const NAMESPACES = '/api/v1/namespaces';
const DEFINITION = `${DEFINITIONS}/gadgets.shop.example.com`;
const VERSIONS = ['v1', 'v2'];
const NAMES = ['a', 'b', 'c'];

/** @throws Error for a refusal */
async function ok(sent: Promise<HttpAnswer>): Promise<HttpAnswer> {
  const answer = await sent;
  if (answer.status !== 200 && answer.status !== 201) throw new Error(answer.text);
  return answer;
}

/** A definition whose state has a number: it decides about the type of a map, and which version is stored. */
function definition(state: number): ReturnType<typeof gadgets> {
  return gadgets((spec: Spec) => {
    const [v1] = spec.versions;
    if (v1 === undefined) throw new Error('no version');
    spec.versions = VERSIONS.map((name, at) => ({
      ...v1,
      name,
      storage: at === (state >> 1) % 2,
      subresources: {
        status: {},
        scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
      },
      schema: {
        openAPIV3Schema: {
          ...v1.schema.openAPIV3Schema,
          description: `state ${state}`,
          properties: {
            spec: {
              type: 'object',
              properties: {
                same: { type: 'string' },
                replicas: { type: 'integer' },
                texts: {
                  type: 'object',
                  additionalProperties: { type: 'string' },
                  'x-kubernetes-map-type': state % 2 === 0 ? 'granular' : 'atomic',
                },
                items: {
                  type: 'array',
                  'x-kubernetes-list-type': 'map',
                  'x-kubernetes-list-map-keys': ['name'],
                  items: {
                    type: 'object',
                    required: ['name'],
                    properties: { name: { type: 'string' }, port: { type: 'integer' } },
                  },
                },
              },
            },
            status: {
              type: 'object',
              properties: { count: { type: 'integer' }, replicas: { type: 'integer' } },
            },
          },
        },
      },
    }));
  });
}

/** What all loads need. */
export async function prepare(daemon: Sender): Promise<void> {
  await ok(define(daemon, definition(0)));
  for (const name of NAMES) await ok(daemon.send('POST', gadgetsIn('default'), { body: gadget(name) }));
}

interface Counted {
  readonly name: string;
  readonly written: Written<number>;
}

/** One number for each gadget, which a manager writes in one of several ways. */
abstract class Numbers implements Load {
  private readonly all: readonly Counted[] = NAMES.map((name) => ({ name, written: new Written(0) }));

  constructor(
    protected readonly manager: string,
    protected readonly random: Random,
  ) {}

  protected abstract send(daemon: Sender, name: string, value: number): Promise<HttpAnswer>;
  protected abstract find(object: Readonly<Record<string, unknown>>): unknown;
  protected abstract get subresource(): string | undefined;

  async step(daemon: Sender): Promise<void> {
    const { name, written } = this.random.pick(this.all);
    await written.write(written.value + 1, (value) => ok(this.send(daemon, name, value)));
  }

  async verify(daemon: Sender): Promise<void> {
    for (const { name, written } of this.all) {
      const shown = [];
      for (const version of VERSIONS) {
        const object = (await ok(daemon.get(`${gadgetsIn('default', version)}/${name}`))).json();
        expectConsistentManagers(object);
        shown.push(object);
      }
      const [object, other] = shown;
      if (object === undefined) throw new Error(name);
      expect(other?.spec).toEqual(object.spec);
      written.check(Number(this.find(object) ?? 0), `${this.manager} ${name} ${JSON.stringify(object)}`);
      if (written.value === 0) continue;
      const own = entriesOf(object).filter((entry) => entry.manager === this.manager);
      expect(own.map((entry) => entry.subresource)).toEqual([this.subresource]);
    }
  }
}

class Applies extends Numbers {
  protected override get subresource(): undefined {
    return undefined;
  }

  protected send(daemon: Sender, name: string, value: number): Promise<HttpAnswer> {
    const version = this.random.pick(VERSIONS);
    const spec = {
      same: 'for all',
      texts: { [this.manager]: `${value}` },
      items: [{ name: this.manager, port: value }],
    };
    const target = `${gadgetsIn('default', version)}/${name}?fieldManager=${this.manager}&force=true`;
    const body = { ...gadget(name, spec), apiVersion: `shop.example.com/${version}` };
    return daemon.send('PATCH', target, { body, headers: APPLY });
  }

  protected find({ spec }: Readonly<Record<string, unknown>>): unknown {
    const items = isRecord(spec) && Array.isArray(spec.items) ? spec.items : [];
    const own = items.filter((item) => isRecord(item) && item.name === this.manager);
    expect(own.length).toBeLessThanOrEqual(1);
    return isRecord(own[0]) ? own[0].port : undefined;
  }
}

class Updates extends Numbers {
  protected override get subresource(): undefined {
    return undefined;
  }

  protected send(daemon: Sender, name: string, value: number): Promise<HttpAnswer> {
    const body = { metadata: { labels: { [this.manager]: `${value}` } } };
    const target = `${gadgetsIn('default')}/${name}?fieldManager=${this.manager}`;
    return daemon.send('PATCH', target, { body, headers: MERGE });
  }

  protected find({ metadata }: Readonly<Record<string, unknown>>): unknown {
    const labels = isRecord(metadata) ? metadata.labels : undefined;
    return isRecord(labels) ? labels[this.manager] : undefined;
  }
}

class Statuses extends Numbers {
  protected override get subresource(): string {
    return 'status';
  }

  protected send(daemon: Sender, name: string, value: number): Promise<HttpAnswer> {
    const target = `${gadgetsIn('default')}/${name}/status?fieldManager=${this.manager}&force=true`;
    const { spec: _, ...rest } = gadget(name);
    return daemon.send('PATCH', target, { body: { ...rest, status: { count: value } }, headers: APPLY });
  }

  protected find({ status }: Readonly<Record<string, unknown>>): unknown {
    return isRecord(status) ? status.count : undefined;
  }
}

class Scales extends Numbers {
  protected override get subresource(): string {
    return 'scale';
  }

  protected send(daemon: Sender, name: string, value: number): Promise<HttpAnswer> {
    const target = `${gadgetsIn('default')}/${name}/scale?fieldManager=${this.manager}&force=true`;
    const body = {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name },
      spec: { replicas: value },
    };
    return daemon.send('PATCH', target, { body, headers: APPLY });
  }

  protected find({ spec }: Readonly<Record<string, unknown>>): unknown {
    return isRecord(spec) ? spec.replicas : undefined;
  }
}

/** The definition of the gadgets: its schema and its stored version change. */
class DefinitionChanges implements Load {
  readonly #state = new Written(0);

  async step(daemon: Sender): Promise<void> {
    await this.#state.write(this.#state.value + 1, async (state) => {
      const { metadata } = (await ok(daemon.get(DEFINITION))).json();
      await ok(daemon.send('PUT', DEFINITION, { body: { ...definition(state), metadata } }));
    });
  }

  async verify(daemon: Sender): Promise<void> {
    const stored = (await ok(daemon.get(DEFINITION))).json();
    const text = /state (\d+)/.exec(JSON.stringify(stored.spec))?.[1];
    this.#state.check(Number(text), 'the definition');
    expect(stored.spec).toMatchObject({ versions: definition(this.#state.value).spec.versions });
    expect(conditionsOf(stored)).toContain('Established=True InitialNamesAccepted');
    for (const version of VERSIONS) {
      const described = (await ok(daemon.get(`/openapi/v3/apis/shop.example.com/${version}`))).text;
      expect(new Set(described.match(/(?<=")state \d+/gu))).toEqual(new Set([`state ${this.#state.value}`]));
    }
  }
}

/** Things that are made and deleted again and again. */
abstract class Rounds implements Load {
  #round = 0;
  #isMade = false;
  #isDeleted = false;

  protected abstract make(daemon: Sender, round: number): Promise<void>;
  protected abstract fill(daemon: Sender, round: number): Promise<void>;
  protected abstract remove(daemon: Sender, round: number): Promise<void>;
  protected abstract targetOf(round: number): string;
  /** Where the objects are that are in the thing. */
  protected abstract contentOf(round: number): string;

  async step(daemon: Sender): Promise<void> {
    this.#round += 1;
    this.#isMade = false;
    this.#isDeleted = false;
    await this.make(daemon, this.#round);
    this.#isMade = true;
    await this.fill(daemon, this.#round);
    await this.remove(daemon, this.#round);
    this.#isDeleted = true;
  }

  /** What was deleted goes; what was made and not deleted is there, or may be on its way. */
  async verify(daemon: Sender): Promise<void> {
    const target = this.targetOf(this.#round);
    const found = await daemon.get(target);
    const isGoing = found.status === 200 && found.json().metadata.deletionTimestamp !== undefined;
    if (this.#isDeleted) expect([isGoing, found.status]).not.toEqual([false, 200]);
    if (found.status === 200 && !isGoing) {
      await ok(daemon.get(this.contentOf(this.#round)));
      await ok(daemon.send('DELETE', target));
    } else if (this.#isMade && !isGoing) expect(found.status).toBe(404);
    await waitFor(
      () => daemon.get(target),
      ({ status }) => status === 404,
    );
    const left = await daemon.get(this.contentOf(this.#round));
    if (left.status !== 404) expect(left.json().items).toEqual([]);
  }
}

class Namespaces extends Rounds {
  protected targetOf(round: number): string {
    return `${NAMESPACES}/n${round}`;
  }

  protected contentOf(round: number): string {
    return `${this.targetOf(round)}/configmaps`;
  }

  protected async make(daemon: Sender, round: number): Promise<void> {
    await ok(daemon.send('POST', NAMESPACES, { body: { metadata: { name: `n${round}` } } }));
  }

  protected async fill(daemon: Sender, round: number): Promise<void> {
    const names = Array.from({ length: 20 }, (_, i) => `m${i}`);
    await Promise.all(
      names.map((name) => ok(daemon.send('POST', this.contentOf(round), { body: { metadata: { name } } }))),
    );
    await ok(daemon.send('POST', gadgetsIn(`n${round}`), { body: gadget('g') }));
  }

  protected async remove(daemon: Sender, round: number): Promise<void> {
    await ok(daemon.send('DELETE', this.targetOf(round)));
  }
}

class Definitions extends Rounds {
  protected targetOf(round: number): string {
    return `${DEFINITIONS}/temps${round}.shop.example.com`;
  }

  protected contentOf(round: number): string {
    return `/apis/shop.example.com/v1/namespaces/default/temps${round}`;
  }

  protected async make(daemon: Sender, round: number): Promise<void> {
    const made = gadgets((spec) => {
      spec.names = { plural: `temps${round}`, kind: `Temp${round}` };
    });
    await ok(define(daemon, made));
  }

  protected async fill(daemon: Sender, round: number): Promise<void> {
    const body = { ...gadget('t'), kind: `Temp${round}` };
    await ok(daemon.send('POST', this.contentOf(round), { body }));
  }

  protected async remove(daemon: Sender, round: number): Promise<void> {
    await ok(daemon.send('DELETE', this.targetOf(round)));
  }
}

/** True when a ConfigMap with such data would be accepted. */
async function isAccepted(daemon: Sender, data: object): Promise<boolean> {
  const body = { metadata: { name: 'tried' }, data };
  return (await daemon.send('POST', `${MAPS}?dryRun=All`, { body })).status === 201;
}

/** A policy that refuses one number, which changes; its binding comes and goes. */
class PolicyChanges implements Load {
  readonly #number = new Written<number | undefined>(undefined);
  readonly #isBound = new Written(false);

  async step(daemon: Sender): Promise<void> {
    await this.#number.write((this.#number.value ?? 0) + 1, (value) => this.#put(daemon, value ?? 0));
    await this.#isBound.write(!this.#isBound.value, (isBound) =>
      isBound
        ? ok(
            daemon.send('POST', BINDINGS, {
              body: { metadata: { name: 'p' }, spec: { policyName: 'p', validationActions: ['Deny'] } },
            }),
          )
        : ok(daemon.send('DELETE', `${BINDINGS}/p`)),
    );
  }

  #put(daemon: Sender, value: number): Promise<unknown> {
    const spec = {
      matchConstraints: {
        resourceRules: [
          { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
        ],
      },
      validations: [
        { expression: `!has(object.data) || !has(object.data.n) || object.data.n != "${value}"` },
      ],
    };
    return this.#number.value === undefined
      ? ok(daemon.send('POST', POLICIES, { body: { metadata: { name: 'p' }, spec } }))
      : ok(daemon.send('PATCH', `${POLICIES}/p`, { body: { spec }, headers: MERGE }));
  }

  async verify(daemon: Sender): Promise<void> {
    const stored = (await daemon.get(`${POLICIES}/p`)).text;
    const number = /!= \\"(\d+)/.exec(stored)?.[1];
    this.#number.check(number === undefined ? undefined : Number(number), stored);
    this.#isBound.check((await daemon.get(`${BINDINGS}/p`)).status === 200, 'the binding');
    if (number === undefined) return;
    expect(await isAccepted(daemon, { n: number })).toBe(!this.#isBound.value);
    expect(await isAccepted(daemon, { n: `${number}0` })).toBe(true);
  }
}

/** A webhook that is asked, and not, by turns. */
class WebhookChanges implements Load {
  readonly #isAsked = new Written(false);

  constructor(private readonly receiver: AdmissionReceiver) {
    receiver.decide = ({ object }) =>
      isRecord(object?.data) && object.data.hook === 'deny' ? denied('no') : ALLOWED;
  }

  async step(daemon: Sender): Promise<void> {
    const body = configuration('ValidatingWebhookConfiguration', 'w', webhookEntry(this.receiver));
    await this.#isAsked.write(!this.#isAsked.value, (isAsked) =>
      isAsked ? ok(daemon.send('POST', VALIDATING, { body })) : ok(daemon.send('DELETE', `${VALIDATING}/w`)),
    );
  }

  async verify(daemon: Sender): Promise<void> {
    this.#isAsked.check((await daemon.get(`${VALIDATING}/w`)).status === 200, 'the configuration');
    expect(await isAccepted(daemon, { hook: 'deny' })).toBe(!this.#isAsked.value);
    expect(await isAccepted(daemon, { hook: 'allow' })).toBe(true);
  }
}

class Creates implements Load {
  readonly #count = new Written(0);

  async step(daemon: Sender): Promise<void> {
    await this.#count.write(this.#count.value + 1, (count) =>
      ok(daemon.send('POST', MAPS, { body: { metadata: { name: `made-${count}` } } })),
    );
  }

  async verify(daemon: Sender): Promise<void> {
    const { items } = (await ok(daemon.get(`${MAPS}?limit=100000`))).json();
    const made = items
      .map(({ metadata }) => String(metadata.name))
      .filter((name) => name.startsWith('made-'));
    this.#count.check(made.length, 'created objects');
    const expected = Array.from({ length: made.length }, (_, i) => `made-${i + 1}`);
    expect(new Set(made)).toEqual(new Set(expected));
  }
}

class Tokens implements Load {
  readonly #tokens: string[] = [];

  async step(daemon: Sender): Promise<void> {
    const target = `${NAMESPACES}/default/serviceaccounts/default/token`;
    const { status } = (await ok(daemon.send('POST', target, { body: { spec: {} } }))).json();
    this.#tokens.push((status as { token: string }).token);
  }

  async verify(daemon: Sender): Promise<void> {
    for (const token of this.#tokens.splice(0)) {
      const body = { spec: { token } };
      const review = await ok(daemon.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body }));
      expect(review.json().status).toMatchObject({
        authenticated: true,
        user: { username: 'system:serviceaccount:default:default' },
      });
    }
  }
}

/** All loads, which run at the same time. */
export function loads(random: Random, receiver: AdmissionReceiver): readonly Load[] {
  return [
    new Applies('one', random),
    new Applies('two', random),
    new Applies('three', random),
    new Updates('four', random),
    new Updates('five', random),
    new Statuses('six', random),
    new Scales('seven', random),
    new DefinitionChanges(),
    new Definitions(),
    new Namespaces(),
    new PolicyChanges(),
    new WebhookChanges(receiver),
    new Creates(),
    new Tokens(),
  ];
}
