/** Compares single commands of this build with those of a build with twice the resources, and prints the ratios. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../root.ts';
import { startEnvironment } from '../start-up/environment.ts';

const roundCount = Number(process.argv[2] ?? 40);
const environment = await startEnvironment();
const copiedCheckout = join(environment.folder, 'checkout');

const lines = [['--help'], ['customers', '--help'], ['customers', 'list', '-o', 'json']];

try {
  copySources();
  const count = doubleResources();
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: copiedCheckout });
  process.stdout.write(
    `${count} more resources; ratios of the median and the lower quartile of ${roundCount} runs\n`,
  );
  for (const line of lines) compare(line);
} finally {
  environment.stop();
}

function copySources(): void {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  for (const file of files) {
    mkdirSync(dirname(join(copiedCheckout, file)), { recursive: true });
    cpSync(join(root, file), join(copiedCheckout, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copiedCheckout, 'node_modules'));
}

/** Adds a copy of each resource with another path. Returns the number of copies. */
function doubleResources(): number {
  const indexFile = join(copiedCheckout, 'src/api/resources/index.ts');
  let index = readFileSync(indexFile, 'utf8');
  const imports = [...index.matchAll(/^import \{ (\w+) \} from '\.\/([\w-]+)\.ts';\n/gm)];
  let count = 0;
  for (const [line, name = '', file = ''] of imports) {
    const source = readFileSync(join(copiedCheckout, `src/api/resources/${file}.ts`), 'utf8');
    const [, path] = /^ {2}path: '(\/\w+)',$/m.exec(source) ?? [];
    const [, singular] = /^ {2}one: '([\w-]+)',$/m.exec(source) ?? [];
    if (path === undefined || singular === undefined || source.includes('singleton')) continue;
    const copiedSource = source
      .replace(`path: '${path}'`, `path: '/copied_${path.slice(1)}'`)
      .replace(`one: '${singular}'`, `one: 'copied-${singular}'`)
      .replace(/^ {2}(alias|searchTerms): .*\n/gm, '')
      .replace(`export const ${name}`, `export const ${name}Copy`);
    writeFileSync(join(copiedCheckout, `src/api/resources/copied-${file}.ts`), copiedSource);
    index = index
      .replace(line, `${line}import { ${name}Copy } from './copied-${file}.ts';\n`)
      .replace(`    ${name},\n`, `    ${name},\n    ${name}Copy,\n`);
    count++;
  }
  writeFileSync(indexFile, index);
  return count;
}

function compare(line: readonly string[]): void {
  const builds = [root, copiedCheckout].map((checkout) => ({
    boh: join(checkout, 'bin/boh.js'),
    times: [] as number[],
  }));
  for (let round = -3; round < roundCount; round++) {
    for (const { boh, times } of builds) {
      const { ms } = environment.run([boh, ...line]);
      if (round >= 0) times.push(ms);
    }
  }
  const [current, larger] = builds.map(({ times }) => times.toSorted((a, b) => a - b));
  const ratio = (quantile: number) => quantileOf(larger, quantile) / quantileOf(current, quantile);
  const label = `boh ${line.join(' ')}`.padEnd(32);
  process.stdout.write(`${label}${ratio(0.5).toFixed(3)}x  ${ratio(0.25).toFixed(3)}x\n`);
}

function quantileOf(times: number[] = [], quantile: number): number {
  return times[Math.floor(times.length * quantile)] ?? Number.NaN;
}
