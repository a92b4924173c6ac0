import type { ServiceError } from '../errors.js';
import type { MaybePromise } from '../lib/work/maybe-promise.js';
import { pluginUser } from '../model/system-users.js';
import type { Service } from '../service/service.js';
import type { CommitCheck, ResourceRef } from '../service/verbs.js';
import { admitted } from './checked-write.js';
import type { AccessControl } from './control.js';
import type { Identity } from './identity/identity.js';
import { refuseEndingChanges } from './ending-changes.js';
import { refuseUser, scopesOf } from './limits/scopes-of-user.js';
import { commonScopes, SenderScopes, type Scopes } from './limits/sender-scopes.js';
import { isAllowed, mayList, refuseAction, type AccessRule, type Action } from './rules.js';

/** The rights of the sender of a call. */
export interface SenderRights {
  /** The groups of a user; undefined for a plugin. */
  readonly groups?: readonly string[] | undefined;
  /** @throws ServiceError `Forbidden` */
  authorize(action: Action): void;
  /** True when objects of a model may be named to the sender. */
  mayList(model: Pick<ResourceRef, 'group' | 'plural'>): boolean;
  /** The parts of models that its rules are about. */
  readonly scopes: Scopes;
  /** Runs a write, see {@link admitted}. */
  admit<T>(write: (admission: CommitCheck) => Promise<T>): Promise<T>;
}

/** The rights at the time of a call. */
export type ReadRights = () => MaybePromise<SenderRights>;

export function rightsOfUser(control: AccessControl, identity: Identity): SenderRights {
  const { groups, rules } = identity;
  return {
    groups,
    authorize(action) {
      if (!isAllowed(rules, action)) throw refuseUser(identity, action);
    },
    mayList: (model) => mayList(rules, model),
    scopes: scopesOf(identity),
    admit: (write) => control.admit(identity, write),
  };
}

/** The rights of a plugin whose manifest has permissions. */
export function rightsOfPlugin(service: Service, plugin: string, rules: readonly AccessRule[]): SenderRights {
  const sender = { user: pluginUser(plugin), rules };
  const refuse = (action: Action): ServiceError =>
    refuseAction(`plugin "${plugin}"`, action, '; permit it in spec.permissions of its plugin.yaml');
  return {
    authorize(action) {
      if (!isAllowed(rules, action)) throw refuse(action);
    },
    mayList: (model) => mayList(rules, model),
    scopes: new SenderScopes({ ...sender, groups: [] }, refuse),
    admit: (write) =>
      admitted(service, sender, (admission) =>
        write((tx, changes) => {
          refuseEndingChanges(sender, changes);
          admission(tx, changes);
        }),
      ),
  };
}

export function commonRights(a: SenderRights, b: SenderRights): SenderRights {
  return {
    groups: a.groups ?? b.groups,
    authorize(action) {
      a.authorize(action);
      b.authorize(action);
    },
    mayList: (model) => a.mayList(model) && b.mayList(model),
    scopes: commonScopes(a.scopes, b.scopes),
    admit: (write) =>
      a.admit((ofA) =>
        b.admit((ofB) =>
          write((tx, changes) => {
            ofA(tx, changes);
            ofB(tx, changes);
          }),
        ),
      ),
  };
}
