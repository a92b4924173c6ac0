/**
 * Users that are parts of the service, as history shows them. No object has such a name, because names of objects contain no
 * colon: neither a user nor a token can take one.
 */
const PREFIX = 'system:';

/** The sender of a request without credentials, in bindings. */
export const ANONYMOUS = `${PREFIX}anonymous`;

export const COLLECTOR = `${PREFIX}garbage-collector`;

/** Deletes the objects of deleted namespaces. */
export const NAMESPACE_CLEANER = `${PREFIX}namespace-cleaner`;

/** Deletes old Events of Kubernetes. */
export const EVENT_CLEANER = `${PREFIX}event-cleaner`;

/** Deletes objects that have expired. */
export const EXPIRY = `${PREFIX}expiry`;

/** Writes the state of webhooks. */
export const WEBHOOK_SENDER = `${PREFIX}webhooks`;

const PLUGIN_PREFIX = `${PREFIX}plugin:`;

/** A plugin that writes as itself. */
export function pluginUser(plugin: string): string {
  return `${PLUGIN_PREFIX}${plugin}`;
}

/** True for the user of {@link pluginUser}. */
export function isPluginUser(user: string): boolean {
  return user.startsWith(PLUGIN_PREFIX);
}

const CONTROLLER_PREFIX = `${PREFIX}controller:`;

/** A controller of a plugin. @param controller its name within the plugin */
export function controllerUser(plugin: string, controller: string): string {
  return `${CONTROLLER_PREFIX}${plugin}/${controller}`;
}

/** True for the user of {@link controllerUser}. */
export function isControllerUser(user: string): boolean {
  return user.startsWith(CONTROLLER_PREFIX);
}

const MIGRATION_PREFIX = `${PREFIX}migration:`;

/** A migration, or its rollback. @param id of the last migration, when several run together */
export function migrationUser(id: string): string {
  return `${MIGRATION_PREFIX}${id}`;
}

/** True for the user of {@link migrationUser}. */
export function isMigrationUser(user: string): boolean {
  return user.startsWith(MIGRATION_PREFIX);
}

/** True when a name is reserved for parts of the service. */
export function isSystemUser(name: string): boolean {
  return name.startsWith(PREFIX);
}
