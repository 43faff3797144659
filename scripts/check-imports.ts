/**
 * Checks the imports of src/: finds imports that scripts/checks/parts.ts doesn't allow, too many dynamic imports,
 * cycles, and unused exports. docs/explanation/architecture.md explains the rules.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { baseModule, modules, type Part } from './checks/parts.ts';
import { root } from './root.ts';

const source = join(root, 'src');
const files = globSync('**/*.ts', { cwd: source }).sort();
const texts = new Map(files.map((file) => [file, readFileSync(join(source, file), 'utf8')]));
const syntaxOf = new Map([...texts].map(([file, text]) => [file, parseSync(file, text).module]));
const dynamicImportsOf = new Map(files.map((file) => [file, dynamicImportsIn(file)]));
const importsOf = new Map(files.map((file) => [file, importsIn(file)]));

/** The maximum number of `import()` in src/. They are for commands and large libraries, because each adds chunks. */
const maxDynamicImports = 80;

const problems = [
  ...files.flatMap(forbiddenImports),
  ...tooManyDynamicImports(),
  ...importCycles(),
  ...unusedExports(),
];
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Returns the targets of a file's dynamic imports. */
function dynamicImportsIn(file: string): string[] {
  const text = texts.get(file) ?? '';
  const { dynamicImports = [] } = syntaxOf.get(file) ?? {};
  const requests = dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1));
  return targetsOf(file, requests);
}

/** Returns the targets of all imports of a file. */
function importsIn(file: string): string[] {
  const { staticImports = [], staticExports = [] } = syntaxOf.get(file) ?? {};
  const requests = [
    ...staticImports.map((statement) => statement.moduleRequest.value),
    ...staticExports.flatMap((statement) =>
      statement.entries.map((entry) => entry.moduleRequest?.value ?? 'node:'),
    ),
  ];
  return [...targetsOf(file, requests), ...(dynamicImportsOf.get(file) ?? [])];
}

/** Returns paths relative to src/ for files, and names for libraries. Modules of Node are always allowed. */
function targetsOf(file: string, requests: readonly string[]): string[] {
  return requests
    .filter((request) => !request.startsWith('node:'))
    .map((request) =>
      request.startsWith('.') ? relative(source, join(source, dirname(file), request)) : request,
    );
}

function tooManyDynamicImports(): string[] {
  const count = [...dynamicImportsOf.values()].flat().length;
  return count > maxDynamicImports
    ? [`src/ has ${count} import(), and the limit is ${maxDynamicImports}.`]
    : [];
}

function forbiddenImports(file: string): string[] {
  const place = placeOf(file);
  if (!place) return [`src/${file} is in no part of the table of scripts/checks/parts.ts.`];
  return (importsOf.get(file) ?? []).flatMap((target) => {
    if (target.endsWith('.ts')) return forbiddenFile(file, place, target);
    const { imports } = place.part;
    const isAllowed = imports.includes('libraries') || imports.includes(target);
    return isAllowed ? [] : [`src/${file}: ${place.partName} may not import ${target}.`];
  });
}

function forbiddenFile(file: string, { moduleName, partName, part }: Place, target: string): string[] {
  const targetPlace = placeOf(target);
  if (!targetPlace) return [];
  const order = Object.keys(modules);
  const isAllowed =
    targetPlace.partName === partName ||
    targetPlace.moduleName === baseModule ||
    part.imports.includes(targetPlace.partName);
  if (!isAllowed || order.indexOf(targetPlace.moduleName) > order.indexOf(moduleName))
    return [`src/${file}: ${partName} may not import ${target}.`];
  const { entryPoints } = targetPlace.part;
  const isEntryPoint = entryPoints.some((pattern) => matchesGlob(targetPlace.path, pattern));
  return targetPlace.moduleName === moduleName || isEntryPoint
    ? []
    : [`src/${file}: ${target} is not an entry point of ${targetPlace.moduleName}.`];
}

/** Where a file is: its module, its part, and its path in the folder of the part. */
interface Place {
  moduleName: string;
  partName: string;
  part: Part;
  path: string;
}

/** Finds the place of a file. Files in the folder of a module itself belong to the part of the same name, or of the file's. */
function placeOf(file: string): Place | undefined {
  const [moduleName = '', name = '', ...rest] = file.split('/');
  const module = modules[moduleName];
  if (!module) return undefined;
  const partName = [name.replace(/\.ts$/, ''), moduleName].find((candidate) => module.parts[candidate]);
  const part = module.parts[partName ?? ''];
  if (partName === undefined || !part) return undefined;
  return { moduleName, partName, part, path: (partName === moduleName ? [name, ...rest] : rest).join('/') };
}

/** Reports each cycle once, from the first of its files that the traversal reaches. */
function importCycles(): string[] {
  const cycleMessages: string[] = [];
  const visited = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file))
      cycleMessages.push(`import cycle: ${[...path.slice(path.indexOf(file)), file].join(' -> ')}`);
    if (path.includes(file) || visited.has(file)) return;
    for (const target of importsOf.get(file) ?? []) visit(target, [...path, file]);
    visited.add(file);
  };
  for (const file of files) visit(file, []);
  return cycleMessages;
}

/** Reports exported values that aren't imported. Types are ignored: they may be exported for a function's signature. */
function unusedExports(): string[] {
  const outsideWords = globSync('{test,scripts,bin}/**/*.{ts,js}', { cwd: root }).map((file) =>
    wordsIn(readFileSync(join(root, file), 'utf8')),
  );
  const words = new Map([...texts].map(([file, text]) => [file, wordsIn(text)]));
  const importers = new Map<string, string[]>();
  for (const [file, targets] of importsOf)
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), file]);
  // The exports of a dynamically imported file may be used by importers of the file that imports it.
  const users = (file: string) =>
    (importers.get(file) ?? []).flatMap((importer) => [
      importer,
      ...(dynamicImportsOf.get(importer)?.includes(file) ? (importers.get(importer) ?? []) : []),
    ]);
  return files.flatMap((file) => {
    const exportEntries = (syntaxOf.get(file)?.staticExports ?? []).flatMap(({ entries }) => entries);
    return exportEntries
      .filter(({ isType }) => !isType)
      .flatMap(({ exportName: { name } }) => name ?? [])
      .filter((name) => !outsideWords.some((fileWords) => fileWords.has(name)))
      .filter((name) => !users(file).some((user) => words.get(user)?.has(name)))
      .map((name) => `src/${file} exports ${name}, which nothing imports.`);
  });
}

function wordsIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/[A-Za-z_$][\w$]*/g));
}
