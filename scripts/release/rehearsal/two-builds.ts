/** Builds all artifacts twice, in circumstances that must not matter, and compares them byte by byte. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, globSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { root } from '../../root.ts';
import { sourceDateEpoch } from '../facts.ts';
import { has } from '../programs.ts';
import { failed, type Outcome, ok } from './row.ts';

/** What differs between the two builds; the folders differ in length too. */
const circumstances = [
  { folder: 'one', umask: '022', env: { TZ: 'UTC', LC_ALL: 'C.UTF-8', LANG: 'C.UTF-8' }, touched: undefined },
  {
    folder: 'another/and-deeper',
    umask: '077',
    env: { TZ: 'Pacific/Chatham', LC_ALL: 'tr_TR.UTF-8', LANG: 'ar_EG.UTF-8' },
    touched: '2001-02-03 04:05:06',
  },
];

/** The folders of the two builds. */
export interface TwoBuilds {
  first: string;
  second: string;
}

/** Clones the last commit twice and builds it. */
export async function buildTwice(work: string): Promise<TwoBuilds> {
  const [first = '', second = ''] = await Promise.all(circumstances.map((each) => build(work, each)));
  return { first, second };
}

async function build(work: string, how: (typeof circumstances)[number]): Promise<string> {
  const checkout = join(work, how.folder, 'checkout');
  const out = join(work, how.folder, 'artifacts');
  mkdirSync(join(work, how.folder), { recursive: true });
  const script = [
    `umask ${how.umask}`,
    `git clone --quiet --no-local ${root} ${checkout}`,
    // Links: a copy of all libraries would take longer than the build.
    `cp -al ${join(root, 'node_modules')} ${checkout}/node_modules`,
    `cd ${checkout}`,
    ...(how.touched ? [`git ls-files -z | xargs -0 touch -d '${how.touched}'`] : []),
    'npm run --silent build',
    `npm run --silent release:build -- --unsigned ${out}`,
  ].join(' && ');
  const env = { ...process.env, ...how.env, SOURCE_DATE_EPOCH: String(sourceDateEpoch()) };
  await runScript(script, env);
  return out;
}

function runScript(script: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn('sh', ['-c', script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`a build ended with ${code}:\n${output}`));
    });
  });
}

/** Returns the names of the artifacts of a build. */
export function artifactsIn(folder: string): string[] {
  return globSync('{,unsigned/}*', { cwd: folder })
    .filter((name) => /\.\w+$|unsigned\/|SHA256SUMS/.test(name))
    .sort();
}

/** Returns the hash of a file. */
export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Compares an artifact of the two builds; diffoscope explains differences if it is installed. */
export async function compare(name: string, { first, second }: TwoBuilds): Promise<Outcome> {
  if (!existsSync(join(second, name))) return failed('the second build lacks it');
  const hashes = await Promise.all([first, second].map((folder) => hashOf(join(folder, name))));
  if (hashes[0] === hashes[1])
    return ok('two builds with other folder, umask, locale, time zone and file times are equal');
  return failed(
    `two builds differ.${has('diffoscope') ? `\n${explained(join(first, name), join(second, name))}` : ''}`,
  );
}

/** Lines of an explanation that are shown. */
const maxLines = 60;
/** diffoscope disassembles programs, which can take hours. */
const maxExplainMs = 120_000;

function explained(one: string, other: string): string {
  const { stdout } = spawnSync('diffoscope', [one, other], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    timeout: maxExplainMs,
  });
  if (stdout === '') return 'diffoscope found no explanation in two minutes.';
  return stdout.split('\n').slice(0, maxLines).join('\n');
}
