import express from 'express';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach } from 'vitest';
import * as xsvc from '../../src/index.js';
import type { PluginSource } from '../../src/plugin/discover.js';
import { readManifest } from '../../src/plugin/manifest/manifest.js';

export const XSVC_VERSION = '0.1.0';
export const FIXTURES = path.resolve('test/fixtures/plugins');
export const EXAMPLES = path.resolve('plugins');

/** The module that plugins import in these tests: it has the same classes that the tests compare with. */
export const hostModules: ReadonlyMap<string, object> = new Map<string, object>([
  ['xsvc', xsvc],
  ['express', { default: express, Router: express.Router }],
]);

const made: string[] = [];

afterEach(async () => {
  await Promise.all(made.splice(0).map((directory) => rm(directory, { recursive: true, force: true })));
});

/** An empty directory that is removed after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'xsvc-plugin-'));
  made.push(directory);
  return directory;
}

/** Writes files below a directory: relative path to content. */
export async function writeFiles(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(directory, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** A copy of a fixture that a test may change. */
export async function copyOf(fixture: string): Promise<PluginSource> {
  const directory = path.join(await temporaryDirectory(), fixture);
  await cp(path.join(FIXTURES, fixture), directory, { recursive: true });
  return sourceIn(directory);
}

export function fixture(name: string): Promise<PluginSource> {
  return sourceIn(path.join(FIXTURES, name));
}

export function example(name: string): Promise<PluginSource> {
  return sourceIn(path.join(EXAMPLES, name));
}

export async function sourceIn(directory: string): Promise<PluginSource> {
  const manifest = await readManifest(directory, XSVC_VERSION);
  return { name: manifest.metadata.name, directory, manifest };
}

/** A small plugin.yaml; `spec` is YAML that is indented by two spaces. */
export function manifestText(name: string, spec = '  version: 1.0.0\n'): string {
  return `apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata:\n  name: ${name}\nspec:\n${spec}`;
}
