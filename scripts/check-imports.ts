/**
 * Compares the imports of src/ with the table of allowed ones, counts those that load on demand, and finds cycles and
 * unused exports. docs/explanation/architecture.md says why it is so.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { basics, parts } from './house/parts.ts';
import { root } from './root.ts';

const source = join(root, 'src');
const files = globSync('**/*.ts', { cwd: source }).sort();
const texts = new Map(files.map((file) => [file, readFileSync(join(source, file), 'utf8')]));
const modules = new Map([...texts].map(([file, text]) => [file, parseSync(file, text).module]));
const loadsOf = new Map(files.map((file) => [file, loadsIn(file)]));
const importsOf = new Map(files.map((file) => [file, importsIn(file)]));

/** The most `import()` in src/: for commands and heavy libraries only, as each makes a chunk and splits others. */
const maxLoads = 60;

const problems = [...files.flatMap(brokenRules), ...tooManyLoads(), ...cycles(), ...unusedExports()];
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Returns what a file loads on demand, with `import()`. */
function loadsIn(file: string): string[] {
  const text = texts.get(file) ?? '';
  const { dynamicImports = [] } = modules.get(file) ?? {};
  const requests = dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1));
  return targetsOf(file, requests);
}

/** Returns all that a file imports. */
function importsIn(file: string): string[] {
  const { staticImports = [], staticExports = [] } = modules.get(file) ?? {};
  const requests = [
    ...staticImports.map((statement) => statement.moduleRequest.value),
    ...staticExports.flatMap((statement) =>
      statement.entries.map((entry) => entry.moduleRequest?.value ?? 'node:'),
    ),
  ];
  return [...targetsOf(file, requests), ...(loadsOf.get(file) ?? [])];
}

/** Returns paths below src/ for own files, names for libraries; Node's own modules are free to all. */
function targetsOf(file: string, requests: readonly string[]): string[] {
  return requests
    .filter((request) => !request.startsWith('node:'))
    .map((request) =>
      request.startsWith('.') ? relative(source, join(source, dirname(file), request)) : request,
    );
}

function tooManyLoads(): string[] {
  const count = [...loadsOf.values()].flat().length;
  return count > maxLoads ? [`src/ has ${count} import(), and the limit is ${maxLoads}.`] : [];
}

function brokenRules(file: string): string[] {
  const part = partOf(file);
  const allowed = parts[part]?.imports;
  if (allowed === undefined) return [`src/${file}: ${part} is not in the table of scripts/house/parts.ts.`];
  return (importsOf.get(file) ?? [])
    .filter((target) => {
      if (!target.endsWith('.ts')) return !allowed.includes('libraries') && !allowed.includes(target);
      const other = partOf(target);
      return other !== part && other !== basics && !allowed.includes(other);
    })
    .map((target) => `src/${file}: ${part} may not import ${target}.`);
}

function partOf(file: string): string {
  return file.split(/[./]/)[0] ?? file;
}

/** Reports each cycle once, from the file by which the traversal reached it. */
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

/** Only values count: a type may be exported to name what a function takes. */
function unusedExports(): string[] {
  const outside = globSync('{test,scripts,bin}/**/*.{ts,js}', { cwd: root }).map((file) =>
    wordsIn(readFileSync(join(root, file), 'utf8')),
  );
  const words = new Map([...texts].map(([file, text]) => [file, wordsIn(text)]));
  const importers = new Map<string, string[]>();
  for (const [file, targets] of importsOf)
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), file]);
  // What a file loads on demand may be used by those who import the function that loads it.
  const users = (file: string) =>
    (importers.get(file) ?? []).flatMap((other) => [
      other,
      ...(loadsOf.get(other)?.includes(file) ? (importers.get(other) ?? []) : []),
    ]);
  return files.flatMap((file) => {
    const exported = (modules.get(file)?.staticExports ?? []).flatMap(({ entries }) => entries);
    return exported
      .filter(({ isType }) => !isType)
      .flatMap(({ exportName: { name } }) => name ?? [])
      .filter((name) => !outside.some((all) => all.has(name)))
      .filter((name) => !users(file).some((other) => words.get(other)?.has(name)))
      .map((name) => `src/${file} exports ${name}, which nothing imports.`);
  });
}

function wordsIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/[A-Za-z_$][\w$]*/g));
}
