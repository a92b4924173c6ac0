/** Environment variables that contain secrets of this program. */
export const SECRET_NAMES = ['XSVC_TOKEN', 'PGPASSWORD', 'ETCD_PASSWORD'] as const;
export type SecretName = (typeof SECRET_NAMES)[number];

type Environment = Record<string, string | undefined>;

const taken = new Map<SecretName, string>();

/**
 * Removes secrets from the environment of this process, so that plugin code loaded later and child processes cannot
 * read them.
 */
export function takeSecrets(env: Environment): void {
  for (const name of SECRET_NAMES) {
    const value = env[name];
    if (value !== undefined) taken.set(name, value);
    Reflect.deleteProperty(env, name);
  }
}

/** A secret, from the environment or from the removed ones. */
export function findSecret(name: SecretName): string | undefined {
  return taken.get(name) ?? process.env[name];
}

/** The removed secrets, for another process of this program, which also removes them from its environment. */
export function takenSecrets(): Readonly<Record<string, string>> {
  return Object.fromEntries(taken);
}
