/** Prints what it costs a single command that the contract holds twice as many resources: two builds, in turn. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../root.ts';
import { startPlace } from '../start-up/place.ts';

const rounds = Number(process.argv[2] ?? 40);
const place = await startPlace();
const copy = join(place.folder, 'checkout');

const lines = [['--help'], ['customers', '--help'], ['customers', 'list', '-o', 'json']];

try {
  copySources();
  const count = doubleResources();
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: copy });
  process.stdout.write(`${count} resources more; medians and quarters of ${rounds} runs each\n`);
  for (const line of lines) compare(line);
} finally {
  place.leave();
}

function copySources(): void {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
}

/** Each declaration again, at another path. Answers how many. */
function doubleResources(): number {
  const indexFile = join(copy, 'src/resources/index.ts');
  let index = readFileSync(indexFile, 'utf8');
  const imports = [...index.matchAll(/^import \{ (\w+) \} from '\.\/([\w-]+)\.ts';\n/gm)];
  let count = 0;
  for (const [line, name = '', file = ''] of imports) {
    const source = readFileSync(join(copy, `src/resources/${file}.ts`), 'utf8');
    const [, path] = /^ {2}path: '(\/\w+)',$/m.exec(source) ?? [];
    const [, one] = /^ {2}one: '([\w-]+)',$/m.exec(source) ?? [];
    if (path === undefined || one === undefined || source.includes('singleton')) continue;
    const copyOf = source
      .replace(`path: '${path}'`, `path: '/copied_${path.slice(1)}'`)
      .replace(`one: '${one}'`, `one: 'copied-${one}'`)
      .replace(/^ {2}(alias|meant): .*\n/gm, '')
      .replace(`export const ${name}`, `export const ${name}Copy`);
    writeFileSync(join(copy, `src/resources/copied-${file}.ts`), copyOf);
    index = index
      .replace(line, `${line}import { ${name}Copy } from './copied-${file}.ts';\n`)
      .replace(`    ${name},\n`, `    ${name},\n    ${name}Copy,\n`);
    count++;
  }
  writeFileSync(indexFile, index);
  return count;
}

function compare(line: readonly string[]): void {
  const builds = [root, copy].map((checkout) => ({
    boh: join(checkout, 'bin/boh.js'),
    times: [] as number[],
  }));
  for (let round = -3; round < rounds; round++) {
    for (const { boh, times } of builds) {
      const { time } = place.run([boh, ...line]);
      if (round >= 0) times.push(time);
    }
  }
  const [own, larger] = builds.map(({ times }) => times.toSorted((one, other) => one - other));
  const ratio = (part: number) => at(larger, part) / at(own, part);
  const words = `boh ${line.join(' ')}`.padEnd(32);
  process.stdout.write(`${words}${ratio(0.5).toFixed(3)}x  ${ratio(0.25).toFixed(3)}x\n`);
}

function at(times: number[] = [], part: number): number {
  return times[Math.floor(times.length * part)] ?? Number.NaN;
}
