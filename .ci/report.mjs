// Prints what failed, the seconds of each part and of all, some of which run together, and last the number of tests. Fails
// when anything did.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const [directory = '', seconds = '', ...suites] = process.argv.slice(2);

/** What the tests of a part did: passed, and a text for each failure. */
function resultsOf(suite) {
  const file = path.join(directory, `${suite}.json`);
  if (!existsSync(file)) return { passed: 0, failures: [`${suite}: the tests could not be run`] };
  const { numPassedTests, testResults } = JSON.parse(readFileSync(file, 'utf8'));
  return { passed: numPassedTests, failures: testResults.flatMap(failuresOf) };
}

function failuresOf({ name, status, message, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (status === 'failed' && failed.length === 0) return [`${name}\n${message}`];
  return failed.map(({ fullName, failureMessages }) => `${name}: ${fullName}\n${failureMessages.join('\n')}`);
}

const results = new Map(suites.map((suite) => [suite, resultsOf(suite)]));
const parts = readFileSync(path.join(directory, 'parts'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(' '))
  .map(([name = '', seconds = '', code = '']) => {
    const { passed, failures } = results.get(name) ?? { passed: 0, failures: [] };
    // A part may fail beside its tests: by an error between them, or because it has none.
    if (code !== '0' && failures.length === 0) failures.push(`${name}: ended with exit code ${code}`);
    return { name, seconds: Number(seconds), passed, failures };
  });

for (const failure of parts.flatMap(({ failures }) => failures)) console.log(`FAILED ${failure}\n`);
const sum = (numberOf) => parts.reduce((total, part) => total + numberOf(part), 0);
const [passed, failed] = [sum((part) => part.passed), sum(({ failures }) => failures.length)];
const row = (...cells) =>
  console.log(cells.map((cell, i) => (i === 0 ? cell.padEnd(8) : String(cell).padStart(8))).join(''));
row('part', 'seconds', 'passed', 'failed');
for (const { name, seconds, ...tests } of parts) row(name, seconds, tests.passed, tests.failures.length);
row('all', seconds, passed, failed);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
