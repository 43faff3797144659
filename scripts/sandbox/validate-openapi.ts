/**
 * Compares the sandbox with its OpenAPI document. A public linter checks the document. A public validating proxy checks
 * the requests and responses of the example of every operation, and of every list with all `include` and `sort` values.
 * Exits with 1 if either finds a problem.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { includableAfter, sortableFields } from '../../src/api/contract/include.ts';
import { type Operation, operations } from '../../src/api/contract/operation.ts';
import type { Resource } from '../../src/api/contract/resource.ts';
import { exampleArguments } from '../../src/api/reference/examples.ts';
import { api } from '../../src/api/resources/index.ts';
import { runBoh } from '../../test/harness/run-boh.ts';
import { fetchTools } from '../tools.ts';
import { freePort, type ServedSandbox, startSandbox, startServer } from './programs.ts';
import { startViolationRecorder } from './violations.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-openapi-'));
const tools = fetchTools('@redocly/cli', '@stoplight/prism-cli');
const sandbox = await startSandbox();
const problems: string[] = [];

try {
  const file = join(folder, 'openapi.json');
  writeFileSync(file, await (await fetch(`${sandbox.baseUrl}/openapi.json`)).text());
  lint(file);
  await checkThroughProxy(file, sandbox);
} finally {
  await sandbox.stop();
  rmSync(folder, { recursive: true });
}

for (const problem of problems) process.stderr.write(`${problem}\n`);
process.stdout.write(problems.length === 0 ? 'No violations.\n' : `${problems.length} violations.\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

function lint(file: string): void {
  const args = [
    tools['@redocly/cli'],
    'lint',
    file,
    '--extends',
    'recommended-strict',
    '--format',
    'stylish',
  ];
  const { status, stdout } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off' },
  });
  process.stdout.write(`Redocly, recommended-strict: ${status === 0 ? 'valid' : 'not valid'}\n`);
  if (status !== 0) problems.push(`The linter reports:\n${stdout}`);
}

async function checkThroughProxy(file: string, { baseUrl, token }: ServedSandbox): Promise<void> {
  const port = await freePort();
  const proxyUrl = `http://127.0.0.1:${port}`;
  const args = ['proxy', file, baseUrl, '--port', String(port), '-v', 'silent'];
  const prism = await startServer([tools['@stoplight/prism-cli'], ...args], proxyUrl);
  const recorder = await startViolationRecorder(proxyUrl);
  try {
    const allOperations = api.resources.flatMap(operations);
    for (const operation of sortOperations(allOperations))
      await runExample(operation, recorder.baseUrl, token);
    const lists = api.collections.flatMap(fullLists);
    for (const target of lists) await checkStatus(recorder.baseUrl + target, token);
    problems.push(...recorder.violations);
    process.stdout.write(
      `Prism proxy: ${allOperations.length} operations run by boh and ${lists.length} other lists, ${recorder.responseCount} responses\n`,
    );
  } finally {
    await recorder.close();
    await prism.stop();
  }
}

/**
 * Returns the operations in an order in which every example finds its records by their demo names. Updates, which rename
 * records, come last, unless the resource deletes permanently.
 */
function sortOperations(operationList: readonly Operation[]): Operation[] {
  const isLast = ({ effect, resource }: Operation) => effect === 'update' && resource.restore !== undefined;
  return [...operationList.filter((operation) => !isLast(operation)), ...operationList.filter(isLast)];
}

async function runExample(operation: Operation, baseUrl: string, token: string): Promise<void> {
  const argv = exampleArguments(operation).filter((word) => word !== '--sandbox');
  const env = { BOH_CONFIG_DIR: folder, BOH_BASE_URL: baseUrl, BOH_TOKEN: token };
  const { exitCode, stderr } = await runBoh([...argv, '-o', 'json'], { env });
  if (exitCode !== 0) problems.push(`boh ${argv.join(' ')} exited with ${exitCode}: ${stderr}`);
}

/** Returns a list with every relation included, and a list for each sort field. */
function fullLists(resource: Resource): string[] {
  if (!resource.list) return [];
  const include = includableAfter(resource, []) ?? [];
  return [
    ...(include.length > 0 ? [`${resource.path}?include=${include.join(',')}`] : []),
    ...sortableFields(resource).map((name) => `${resource.path}?sort=-${name}&page=1`),
  ];
}

async function checkStatus(url: string, token: string): Promise<void> {
  const { status } = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (status !== 200) problems.push(`GET ${url} returned ${status}`);
}
