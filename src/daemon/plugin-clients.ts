import type { AccessControl } from '../access/control.js';
import { GuardedVerbs } from '../access/guarded-verbs.js';
import { actionOn } from '../access/rules.js';
import {
  commonRights,
  rightsOfPlugin,
  rightsOfUser,
  type ReadRights,
  type SenderRights,
} from '../access/sender-rights.js';
import type { EntryLog } from '../audit/audit-log.js';
import { getOutcome } from '../audit/entry.js';
import { hasCode, ServiceError } from '../errors.js';
import { mapMaybe } from '../lib/work/maybe-promise.js';
import { ANONYMOUS, pluginUser } from '../model/system-users.js';
import type { DeclaredInstance } from '../plugin/declared.js';
import type { PluginManifest } from '../plugin/manifest/manifest.js';
import {
  createClient,
  type ClientSender,
  type ExtensionClient,
  type SchemeSource,
} from '../service/extension-client.js';
import type { Service } from '../service/service.js';
import type { CommitCheck, WriteOptions } from '../service/verbs.js';
import { atPlace } from '../service/write/declare.js';
import { currentFence } from '../store/fence.js';

export interface PluginClientsOptions {
  readonly service: Service;
  readonly schemes: SchemeSource;
  /** Knows the rights of users; undefined when everything is allowed. */
  readonly access?: AccessControl | undefined;
  /** Records refused actions. Default: they are not recorded. */
  readonly audit?: EntryLog | undefined;
}

/** Creates the clients of plugins, with the rights of their manifests and of the users that they name. */
export class PluginClients {
  constructor(private readonly options: PluginClientsOptions) {}

  /** @param signal ends the watches of the client */
  clientFor(manifest: PluginManifest, signal: AbortSignal): ExtensionClient {
    const { service } = this.options;
    const own = this.#permitted(manifest);
    const { name } = manifest.metadata;
    const schemes: SchemeSource = { getScheme: (model) => this.#getServed(model) };
    const sender: ClientSender = {
      verbs: own === undefined ? service : this.#guarded(() => own, userOfWork(name)),
      writes: writesOfPlugin(name),
      as: (user) => this.#senderFor(user, own),
    };
    return createClient(sender, schemes, signal);
  }

  /** A client of nobody, with all rights; for tests of plugins. */
  clientOfTest(signal?: AbortSignal): ExtensionClient {
    const { service, schemes } = this.options;
    const writes: WriteOptions = { author: 'plugin' };
    const as = (user: string | undefined): ClientSender => this.#senderFor(user, undefined);
    return createClient({ verbs: service, writes: () => writes, as }, schemes, signal);
  }

  /** Creates or overwrites the declared objects of a plugin, as {@link Service.declare}. */
  async declare(manifest: PluginManifest, instances: readonly DeclaredInstance[]): Promise<void> {
    const { service } = this.options;
    const declarations = instances.map(({ object, file, line }) => ({ object, place: `${file}:${line}` }));
    const user = pluginUser(manifest.metadata.name);
    const own = this.#permitted(manifest);
    if (own === undefined) return service.declare(declarations, { user });
    return own.admit((admission) =>
      service.declare(declarations, {
        user,
        mayList: (model) => own.mayList(model),
        admission(tx, changes) {
          authorizeDeclared(own, instances, changes);
          admission(tx, changes);
        },
      }),
    );
  }

  /** @throws ServiceError `Conflict` for a model that a plugin has registered and whose `start()` has not ended */
  #getServed(model: Parameters<SchemeSource['getScheme']>[0]): ReturnType<SchemeSource['getScheme']> {
    const scheme = this.options.schemes.getScheme(model);
    if (!scheme.isServed || this.options.service.models.findByKind(scheme.resource) !== undefined)
      return scheme;
    throw new ServiceError(
      'Conflict',
      `the model ${scheme.resource.kind} is served after start() of its plugin has ended; declare first objects in extensions/, and ` +
        'read and write others in a controller, an endpoint or a timer',
    );
  }

  /** Undefined when everything is permitted. */
  #permitted({ metadata, spec: { permissions } }: PluginManifest): SenderRights | undefined {
    return permissions && rightsOfPlugin(this.options.service, metadata.name, permissions);
  }

  #senderFor(user: string | undefined, own: SenderRights | undefined): ClientSender {
    const { service, access } = this.options;
    const getName = (): string | undefined => name;
    // Without authentication, history shows no user for senders without a name either.
    const name = access === undefined ? user : (user ?? ANONYMOUS);
    const writes: WriteOptions = { author: 'plugin', ...(name !== undefined && { user: name }) };
    const as = (other: string | undefined): ClientSender => this.#senderFor(other, own);
    const given = { writes: () => writes, as };
    if (access !== undefined)
      return { verbs: this.#guarded(() => rightsNow(access, user, own), getName), ...given };
    return { verbs: own === undefined ? service : this.#guarded(() => own, getName), ...given };
  }

  #guarded(readRights: ReadRights, getUser: () => string | undefined): GuardedVerbs {
    const { service, audit } = this.options;
    return new GuardedVerbs(service, readRights, async (action, error) => {
      if (!hasCode(error, 'Forbidden')) return;
      await audit?.record({ user: getUser(), via: 'plugin', ...action, ...getOutcome(error) });
    });
  }
}

function rightsNow(
  access: AccessControl,
  user: string | undefined,
  own: SenderRights | undefined,
): ReturnType<ReadRights> {
  return mapMaybe(access.identityOf(user), (identity) => {
    const rights = rightsOfUser(access, identity);
    return own === undefined ? rights : commonRights(rights, own);
  });
}

/** The user of a plugin's work, for the log: the plugin, or the controller that is at work. */
export function userOfWork(plugin: string): () => string {
  const own = pluginUser(plugin);
  return () => currentFence()?.user ?? own;
}

/** The options of a plugin's writes, see {@link userOfWork}. */
function writesOfPlugin(plugin: string): () => WriteOptions {
  const getUser = userOfWork(plugin);
  const byUser = new Map<string, WriteOptions>();
  return () => {
    const user = getUser();
    let options = byUser.get(user);
    if (options === undefined) {
      options = { author: 'plugin', user };
      byUser.set(user, options);
    }
    return options;
  };
}

/** @throws ServiceError `Forbidden` with the place of the declared object that is not permitted */
function authorizeDeclared(
  rights: SenderRights,
  instances: readonly DeclaredInstance[],
  changes: Parameters<CommitCheck>[1],
): void {
  for (const { table, name, old } of changes) {
    const action = actionOn(old === undefined ? 'create' : 'update', table.resource, name);
    try {
      rights.authorize(action);
    } catch (error) {
      const { group, kind } = table.resource;
      const declared = instances.find(
        ({ object }) =>
          object.metadata.name === name &&
          object.kind === kind &&
          object.apiVersion.startsWith(group === '' ? '' : `${group}/`),
      );
      if (declared === undefined || !(error instanceof ServiceError)) throw error;
      throw atPlace(error, `${declared.file}:${declared.line}`);
    }
  }
}
