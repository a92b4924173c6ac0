import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

const FILE = new URL('last.json', import.meta.url).pathname;

/** Report of a whole run of the storm: commit, date, and each file. */
export class StormReport implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const all = await this.#vitest?.globTestSpecifications();
    if (modules.length !== all?.length) return;
    const files = modules.map(outcomeOf).sort((a, b) => (a.file < b.file ? -1 : 1));
    const commit = execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
    const report = { commit, date: new Date().toISOString(), files };
    writeFileSync(FILE, `${JSON.stringify(report, undefined, 2)}\n`);
  }
}

function outcomeOf(module: TestModule) {
  const tests = [...module.children.allTests()];
  const failed = tests.filter((test) => test.result().state === 'failed').length;
  return {
    file: path.relative(path.dirname(FILE), module.moduleId),
    tests: tests.length,
    // A file may fail before its tests.
    failures: failed === 0 && module.state() === 'failed' ? 1 : failed,
    seconds: Math.round(module.diagnostic().duration / 1000),
  };
}
