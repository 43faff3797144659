/** Checks every file by the rules that no linter knows. CONTRIBUTING.md lists them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileNameProblems } from './house/file-names.ts';
import { timedTests } from './house/timed-tests.ts';
import { quaintWords } from './house/words.ts';
import { workflowProblems } from './house/workflows.ts';
import { root } from './root.ts';

const maxFileLines = 300;

/** Files that may be longer, with the reason. */
const mayBeLonger: Record<string, string> = {};

// Between zero bytes, as git quotes an odd name otherwise.
const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => statSync(join(root, file), { throwIfNoEntry: false })?.isFile());

const problems = tracked.flatMap((file) => {
  const text = readFileSync(join(root, file), 'utf8');
  return [
    ...(/\.(ts|js|cjs)$/.test(file) ? codeProblems(file, text) : []),
    ...(file.endsWith('.md') ? deadLinks(file, text) : []),
    ...leaks(file, text),
    ...scriptsOfNode(file, text),
    ...timedTests(file, text),
    ...quaintWords(file, text),
    ...workflowProblems(file, text),
  ];
});
problems.push(...misnumbered(), ...fileNameProblems(tracked));
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

function codeProblems(file: string, text: string): string[] {
  const name = basename(file);
  const lines = text.split('\n').length - 1;
  const broken = [
    // A test says what it is for in its titles.
    !name.endsWith('.test.ts') &&
      !/^(#!.*\n)?\/\*\*/.test(text) &&
      'opens without a sentence that says what it is for',
    lines > maxFileLines && !mayBeLonger[file] && `has ${lines} lines; think again past ${maxFileLines}`,
    /^(utils?|helpers?|common|lib|misc)\b/.test(name) && 'has a name that says nothing',
    !/^[a-z0-9.-]+$/.test(name) && 'is not named in kebab case',
    /^src\/(commands|context|input|prompts)\//.test(file) &&
      /\.stdout\b|\bstdout\b.*\} = /.test(text) &&
      'writes to stdout: a command gives back a result, which src/output presents',
    /^src\/(?!base\/child-process\.ts$)/.test(file) &&
      /^import (?!type\b).*'node:child_process'|import\('node:child_process'\)/m.test(text) &&
      'starts programs by itself: src/base/child-process.ts does, without secrets',
  ];
  return broken.filter((problem) => problem !== false).map((problem) => `${file} ${problem}.`);
}

function deadLinks(file: string, text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map((match) => match[1] ?? '');
  return targets
    .filter((target) => !/^\w+:/.test(target) && !existsSync(join(root, dirname(file), target)))
    .map((target) => `${file} links to ${target}, which doesn't exist.`);
}

/** Two people who decide something at the same time take the same number. */
function misnumbered(): string[] {
  const pages = tracked.filter((file) => /^docs\/decisions\/\d/.test(file));
  const taken = new Map<string, string>();
  return pages.flatMap((file) => {
    const number = basename(file).slice(0, 4);
    const other = taken.get(number);
    taken.set(number, file);
    const title = readFileSync(join(root, file), 'utf8');
    return [
      ...(other === undefined ? [] : [`${file} has the number of ${other}.`]),
      ...(title.startsWith(`# ${Number(number)}. `) ? [] : [`${file} has another number in its title.`]),
    ];
  });
}

/** Returns paths of one machine, which have no meaning on another one. */
function leaks(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const path = /(?<![\w.~)}-])\/(?:root|work|home\/\w+|Users\/\w+)\/[\w.]+/.exec(line);
    return path === null ? [] : [`${file}:${index + 1}: names a path of one machine, ${path[0]}.`];
  });
}

/** The Node of a shell may be too old for TypeScript; npm scripts run on that of the checkout. */
function scriptsOfNode(file: string, text: string): string[] {
  const isRunByNpm = file === 'package.json' || file === 'scripts/check.ts';
  if (isRunByNpm || file.startsWith('docs/decisions/')) return [];
  return text.split('\n').flatMap((line, index) => {
    const [command] = /\bnode (-\S+ )*[\w./-]+\.ts\b/.exec(line) ?? [];
    return command === undefined
      ? []
      : [`${file}:${index + 1}: names ${command}, which older Nodes can't run; name an npm script.`];
  });
}
