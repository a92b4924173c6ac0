import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A Dockerfile without an engine: its steps are carried out in directories that stand for the images of its stages. */

interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The files, environment and command of a container of the image. Paths are those of this machine. */
export interface BuiltImage {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly user: { readonly uid: number; readonly gid: number };
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
  readonly volumes: readonly string[];
}

/** The instructions in their order; comments and what continues a line are taken into account. */
export function instructionsOf(dockerfile: string): Instruction[] {
  const lines = dockerfile.replace(/^\s*#.*\n/gm, '').replace(/\\\n/g, ' ');
  return lines.split('\n').flatMap((line) => {
    const [, name, text = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, text }];
  });
}

/** Paths of an image in a text, as they are on this machine. */
function mapped(text: string, root: string): string {
  return text.replace(/(?<=^|[\s"'=])\/(?=(build|opt|data|plugins|usr)\b)/g, `${root}/`);
}

/** The files of a directory that `.dockerignore` lets through: here it names what is needed after a `*`. */
function copyContext(source: string, target: string, only: readonly string[] | undefined): void {
  const [all, ...kept] = readFileSync(path.join(source, '.dockerignore'), 'utf8').trim().split('\n');
  if (all !== '*' || !kept.every((line) => line.startsWith('!')))
    throw new Error('.dockerignore must begin with *');
  for (const name of kept.map((line) => line.slice(1))) {
    if (only !== undefined && !only.includes(name)) continue;
    if (existsSync(path.join(source, name)))
      cpSync(path.join(source, name), path.join(target, name), { recursive: true });
  }
}

/**
 * Carries out the steps of a Dockerfile.
 * @param context what is built
 * @param directory where the images of the stages are made
 */
export function buildWithoutEngine(context: string, directory: string): BuiltImage {
  const stages = new Map<string, string>();
  let stage = { root: '', directory: '' };
  const image = { env: {} as Record<string, string>, volumes: [] as string[] };
  const last: Record<string, string> = {};
  for (const { name, text } of instructionsOf(readFileSync(path.join(context, 'Dockerfile'), 'utf8'))) {
    switch (name) {
      case 'FROM': {
        const root = path.join(directory, String(stages.size));
        mkdirSync(path.join(root, 'usr/local/bin'), { recursive: true });
        stages.set(/ AS (\w+)$/.exec(text)?.[1] ?? String(stages.size), root);
        stage = { root, directory: root };
        image.env = {};
        break;
      }
      case 'WORKDIR':
        stage.directory = mapped(text, stage.root);
        mkdirSync(stage.directory, { recursive: true });
        break;
      case 'COPY': {
        const [, from, rest = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(text) ?? [];
        const [target = '', ...sources] = rest.split(' ').reverse();
        const to = path.resolve(stage.directory, mapped(target, stage.root));
        if (from === undefined) copyContext(context, to, sources.includes('.') ? undefined : sources);
        else
          for (const source of sources)
            cpSync(mapped(source, stages.get(from) ?? ''), to, { recursive: true });
        break;
      }
      case 'RUN':
        run(mapped(text, stage.root), stage.directory);
        break;
      case 'ENV':
        for (const [, key = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g))
          image.env[key] = mapped(value, stage.root);
        break;
      case 'VOLUME':
        image.volumes.push(mapped(text, stage.root));
        break;
      default:
        last[name] = text;
    }
  }
  const [uid = 0, gid = 0] = (last.USER ?? '').split(':').map(Number);
  const list = (text = '[]'): string[] => JSON.parse(text) as string[];
  return {
    root: stage.root,
    ...image,
    directory: stage.directory,
    user: { uid, gid },
    entrypoint: list(last.ENTRYPOINT),
    command: list(last.CMD),
    healthCheck: list(/ CMD (\[.*)$/.exec(last.HEALTHCHECK ?? '')?.[1]),
  };
}

function run(script: string, cwd: string): void {
  const isRoot = process.getuid?.() === 0;
  // Only root may give files to others.
  const possible = isRoot ? script : script.replace(/ && chown \S+ \S+/, '');
  execFileSync('sh', ['-ec', possible], {
    cwd,
    env: { ...process.env, npm_config_prefer_offline: 'true', npm_config_update_notifier: 'false' },
    stdio: 'pipe',
  });
}
