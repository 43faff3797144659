/** Checks every file by the project's rules that linters don't check. CONTRIBUTING.md lists them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileNameProblems } from './checks/file-names.ts';
import { modules } from './checks/parts.ts';
import { timedTests } from './checks/timed-tests.ts';
import { quaintWords } from './checks/words.ts';
import { workflowProblems } from './checks/workflows.ts';
import { root } from './root.ts';

const maxFileLines = 500;

/** Files that may be longer, with the reason. */
const longFiles: Record<string, string> = {};

// Separated by zero bytes, because git quotes unusual names otherwise.
const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => statSync(join(root, file), { throwIfNoEntry: false })?.isFile());

const problems = files.flatMap((file) => {
  const text = readFileSync(join(root, file), 'utf8');
  return [
    ...(/\.(ts|js|cjs)$/.test(file) ? codeProblems(file, text) : []),
    ...(file.endsWith('.md') ? deadLinks(file, text) : []),
    ...machinePaths(file, text),
    ...nodeCommands(file, text),
    ...timedTests(file, text),
    ...quaintWords(file, text),
    ...workflowProblems(file, text),
  ];
});
problems.push(...decisionProblems(), ...moduleProblems(), ...fileNameProblems(files));
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

function codeProblems(file: string, text: string): string[] {
  const name = basename(file);
  const lines = text.split('\n').length - 1;
  const messages = [
    // The titles of a test say what it is for.
    !name.endsWith('.test.ts') &&
      !/^(#!.*\n)?\/\*\*/.test(text) &&
      'does not begin with a doc comment that says what it is for',
    lines > maxFileLines && !longFiles[file] && `has ${lines} lines; the limit is ${maxFileLines}`,
    /^(utils?|helpers?|common|lib|misc)\b/.test(name) && 'has a name that does not say what it contains',
    !/^[a-z0-9.-]+$/.test(name) && 'is not named in kebab case',
    /^src\/cli\/(commands|context|input|prompts)\//.test(file) &&
      /\.stdout\b|\bstdout\b.*\} = /.test(text) &&
      'writes to stdout: a command returns a result, which src/cli/output presents',
    /^src\/(?!base\/child-process\.ts$)/.test(file) &&
      /^import (?!type\b).*'node:child_process'|import\('node:child_process'\)/m.test(text) &&
      'starts a program: use src/base/child-process.ts, which removes secrets from the environment',
  ];
  return messages.filter((message) => message !== false).map((message) => `${file} ${message}.`);
}

function deadLinks(file: string, text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map((match) => match[1] ?? '');
  return targets
    .filter((target) => !/^\w+:/.test(target) && !existsSync(join(root, dirname(file), target)))
    .map((target) => `${file} links to ${target}, which doesn't exist.`);
}

/** Checks the numbers of decisions: two people who write one at the same time may choose the same number. */
function decisionProblems(): string[] {
  const pages = files.filter((file) => /^docs\/decisions\/\d/.test(file));
  const fileByNumber = new Map<string, string>();
  return pages.flatMap((file) => {
    const number = basename(file).slice(0, 4);
    const otherFile = fileByNumber.get(number);
    fileByNumber.set(number, file);
    const text = readFileSync(join(root, file), 'utf8');
    return [
      ...(otherFile === undefined ? [] : [`${file} has the same number as ${otherFile}.`]),
      ...(text.startsWith(`# ${Number(number)}. `) ? [] : [`${file} has another number in its title.`]),
    ];
  });
}

/** Each module has a README of at most 30 lines, which readers see first. */
function moduleProblems(): string[] {
  return Object.keys(modules).flatMap((name) => {
    const file = join(root, 'src', name, 'README.md');
    if (!existsSync(file)) return [`src/${name} has no README.md.`];
    const lines = readFileSync(file, 'utf8').split('\n').length - 1;
    return lines > 30 ? [`src/${name}/README.md has ${lines} lines; the limit is 30.`] : [];
  });
}

/** Reports absolute paths that exist only on one machine. */
function machinePaths(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const path = /(?<![\w.~)}-])\/(?:root|work|home\/\w+|Users\/\w+)\/[\w.]+/.exec(line);
    return path === null ? [] : [`${file}:${index + 1}: contains a path of one machine, ${path[0]}.`];
  });
}

/** Reports commands that run TypeScript with `node`, which may be too old. npm scripts use the checkout's Node. */
function nodeCommands(file: string, text: string): string[] {
  const isRunByNpm = file === 'package.json' || file === 'scripts/check.ts';
  if (isRunByNpm || file.startsWith('docs/decisions/')) return [];
  return text.split('\n').flatMap((line, index) => {
    const [command] = /\bnode (-\S+ )*[\w./-]+\.ts\b/.exec(line) ?? [];
    return command === undefined
      ? []
      : [
          `${file}:${index + 1}: contains "${command}", which older versions of Node can't run; use an npm script.`,
        ];
  });
}
