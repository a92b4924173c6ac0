import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { putFiles, runCli, type CliResult } from '../helpers/cli.js';
import { putDesk, tickets } from '../helpers/desk.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

let cwd = '';
beforeEach(async () => {
  cwd = temporaryDirectory();
  await putDesk(cwd, { spec: { type: 'object' } });
  await putFiles(cwd, {
    'one.ndjson': tickets(1, () => ({}), 'v1'),
    'two.ndjson': tickets(2, () => ({}), 'v1'),
  });
});

const xsvc = (line: string): Promise<CliResult> => runCli(line.split(' '), { cwd });

describe('validate', () => {
  it('takes files with and without -f', async () => {
    const out = 'tickets/t-0 valid\n';
    expect(await xsvc('validate one.ndjson')).toEqual({ code: 0, out, err: '' });
    expect(await xsvc('validate two.ndjson')).toMatchObject({ code: 0, out: `${out}tickets/t-1 valid\n` });
    expect(await xsvc('validate -f one.ndjson no.yaml')).toMatchObject({ code: 2, err: /no\.yaml/ });
    expect(await xsvc('validate')).toMatchObject({ code: 2 });
  });

  it('says nothing about endpoints, which it does not check', async () => {
    await appendFile(
      path.join(cwd, 'plugins/desk/index.js'),
      "import { RequestMapping } from 'xsvc';\nexport class Lost { get() {} }\n" +
        "RequestMapping('/lost')(Lost);\n",
    );
    expect(await xsvc('validate one.ndjson')).toMatchObject({ code: 0, err: '' });
  });
});
