/** Holds src/ to the rules of who may import whom, and finds cycles. docs/architecture.md says why they are so. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { root } from './root.ts';

/** What each part may import besides itself. A part is a folder of src/, or a file directly in it. */
const mayImport: Record<string, string[]> = {
  errors: [],
  loopback: [],
  suggest: ['libraries'],
  version: ['../package.json'],
  contract: ['errors', 'zod'],
  resources: ['contract'],
  settings: ['errors', 'loopback', 'suggest', 'terminal', 'libraries'],
  terminal: ['errors', 'libraries'],
  auth: ['errors', 'loopback', 'libraries'],
  client: ['errors', 'loopback', 'contract', 'libraries'],
  sandbox: ['errors', 'contract', 'resources', 'storage', 'libraries'],
  reference: ['errors', 'version', 'contract', 'libraries'],
  storage: ['errors'],
  session: ['errors', 'version', 'contract', 'settings', 'auth', 'client'],
  // The engines stand on an account and on the contract, and know nothing of a command line.
  bulk: ['errors', 'contract', 'session', 'storage', 'libraries'],
  history: ['errors', 'contract', 'session', 'storage', 'bulk', 'libraries'],
  manifest: ['errors', 'contract', 'session', 'storage', 'bulk', 'libraries'],
  mirror: ['errors', 'contract', 'session', 'storage', 'bulk', 'libraries'],
};
const parts = Object.keys(mayImport);
// Commands are made from the API that they are handed; which one that is, is main's to say.
mayImport.commands = [...parts.filter((part) => part !== 'resources'), 'libraries'];
mayImport.main = [...parts, 'commands', 'libraries'];

const source = join(root, 'src');
const files = globSync('**/*.ts', { cwd: source }).sort();
const importsOf = new Map(files.map((file) => [file, importsIn(file)]));
const problems = [...files.flatMap(brokenRules), ...cycles()];
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Paths below src/ for own files, names for libraries; Node's own modules are free to all. */
function importsIn(file: string): string[] {
  const text = readFileSync(join(source, file), 'utf8');
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module;
  const requests = [
    ...staticImports.map((statement) => statement.moduleRequest.value),
    ...staticExports.flatMap((statement) =>
      statement.entries.map((entry) => entry.moduleRequest?.value ?? 'node:'),
    ),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ];
  return requests
    .filter((request) => !request.startsWith('node:'))
    .map((request) =>
      request.startsWith('.') ? relative(source, join(source, dirname(file), request)) : request,
    );
}

function brokenRules(file: string): string[] {
  const part = partOf(file);
  const allowed = mayImport[part];
  if (allowed === undefined) return [`src/${file}: ${part} is not in the table of scripts/check-imports.ts.`];
  return (importsOf.get(file) ?? [])
    .filter((target) => {
      if (!target.endsWith('.ts')) return !allowed.includes('libraries') && !allowed.includes(target);
      return partOf(target) !== part && !allowed.includes(partOf(target));
    })
    .map((target) => `src/${file}: ${part} may not import ${target}.`);
}

function partOf(file: string): string {
  return file.split(/[./]/)[0] ?? file;
}

/** Each cycle is told once, from the file that the walk reached it by. */
function cycles(): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, path: string[]): void => {
    if (path.includes(file)) found.push(`a cycle: ${[...path.slice(path.indexOf(file)), file].join(' -> ')}`);
    if (path.includes(file) || done.has(file)) return;
    for (const target of importsOf.get(file) ?? []) walk(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) walk(file, []);
  return found;
}
