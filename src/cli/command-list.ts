import type { Define } from './command.js';

/** A command in the overview; the rest of it is loaded when the command line has its name. */
type Entry = readonly [summary: string, load: () => Promise<{ readonly define: Define }>];

/** The commands in the order of the overview, below its headings. */
export const COMMANDS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  'Read objects:': {
    get: ['Print objects by name, or a list', () => import('./commands/read/get.js')],
    list: ['Print a list of objects (same as get without names)', () => import('./commands/read/list.js')],
    describe: ['Show details of objects, with their events', () => import('./commands/read/describe.js')],
    history: ['Print the changes of objects, with their users', () => import('./commands/read/history.js')],
    watch: [
      'Print objects, then their changes (same as get --watch)',
      () => import('./commands/read/watch.js'),
    ],
    wait: ['Wait until objects are deleted or meet a condition', () => import('./commands/read/wait.js')],
    explain: ['Describe the fields of a model', () => import('./commands/model/explain.js')],
    'api-resources': ['Print the served models', () => import('./commands/model/api-resources.js')],
  },
  'Write objects:': {
    apply: ['Create or update objects from files', () => import('./commands/write/apply.js')],
    create: ['Create objects from files', () => import('./commands/write/create.js')],
    diff: ['Preview the changes of apply', () => import('./commands/read/diff.js')],
    validate: [
      'Check files against the models, without a store or a server',
      () => import('./commands/write/validate.js'),
    ],
    edit: ['Change an object in an editor', () => import('./commands/write/edit.js')],
    patch: ['Change fields of objects', () => import('./commands/write/patch.js')],
    label: ['Set and remove labels', () => import('./commands/write/label.js')],
    annotate: ['Set and remove annotations', () => import('./commands/write/annotate.js')],
    delete: ['Delete objects', () => import('./commands/write/delete.js')],
    undo: ['Restore earlier states of objects', () => import('./commands/write/undo.js')],
  },
  'Move and repair data:': {
    export: ['Write objects to files as manifests', () => import('./commands/read/export.js')],
    import: ['Create or overwrite objects from large files', () => import('./commands/write/import.js')],
    backup: ['Back up the store, also while a daemon serves it', () => import('./commands/store/backup.js')],
    restore: ['Replace the store with a backup', () => import('./commands/store/restore.js')],
    check: ['Check the consistency of objects, indexes and log', () => import('./commands/store/check.js')],
    reindex: ['Rebuild indexes of the store', () => import('./commands/store/reindex.js')],
    model: [
      'List models, preview their changes, migrate and remove them',
      () => import('./commands/model/model.js'),
    ],
    store: ['Copy a store to another place', () => import('./commands/store/store.js')],
  },
  'Service and plugins:': {
    init: ['Create a project, optionally with an example', () => import('./commands/plugin/init.js')],
    serve: ['Serve the store over HTTP', () => import('./commands/store/serve.js')],
    envtest: [
      'Run a command with a control plane of Kubernetes in memory, for tests',
      () => import('./commands/envtest.js'),
    ],
    mcp: ['Serve tools for agents on standard input and output', () => import('./commands/store/mcp.js')],
    plugin: [
      'Create, list, enable, disable and uninstall plugins',
      () => import('./commands/plugin/plugin.js'),
    ],
    webhook: ['List webhooks, and send changes to them again', () => import('./commands/webhook/webhook.js')],
    login: ['Sign in at the issuer of a server', () => import('./commands/access/login.js')],
    logout: ['Remove the tokens of a sign-in', () => import('./commands/access/logout.js')],
    token: ['Create tokens for users, and print the one in use', () => import('./commands/token/token.js')],
    config: ['Name servers, and choose the current one', () => import('./commands/config/config.js')],
    kubeconfig: ['Print a kubeconfig of the server', () => import('./commands/config/kubeconfig.js')],
    whoami: ['Print the user of the token', () => import('./commands/access/whoami.js')],
    auth: ['Tell what the user of the token may do', () => import('./commands/access/auth.js')],
    controllers: [
      'Print the controllers of a daemon and their pending work',
      () => import('./commands/read/controllers.js'),
    ],
    openapi: ['Print the OpenAPI description', () => import('./commands/model/openapi.js')],
    types: ['Print types of all models in TypeScript', () => import('./commands/model/types.js')],
    bench: ['Benchmark a temporary service against targets', () => import('./commands/store/bench.js')],
  },
  'Other commands:': {
    completion: ['Print a completion script for a shell', () => import('./commands/completion.js')],
    version: ['Print the version', () => import('./commands/version.js')],
  },
};

/** Commands of the previous release, with what to do instead. The next release forgets them. */
export const GONE_COMMANDS: Readonly<Record<string, string>> = {
  'plugin install': 'a plugin is a directory: npm install NAME, and serve --plugins node_modules/NAME',
  'plugin remove': 'a plugin is a directory: remove it, or take it out of --plugins',
  why: 'describe shows the finalizers of an object, and with --server what its controllers do',
};
