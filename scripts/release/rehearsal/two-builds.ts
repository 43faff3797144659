/** Builds all artifacts twice in different environments, and compares them byte by byte. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, globSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { root } from '../../root.ts';
import { isInstalled } from '../programs.ts';
import { sourceDateEpoch } from '../release-settings.ts';
import { failed, type Outcome, ok } from './report.ts';

/** The environments of the two builds. The lengths of the folders differ too. */
const buildEnvironments = [
  {
    folder: 'one',
    umask: '022',
    env: { TZ: 'UTC', LC_ALL: 'C.UTF-8', LANG: 'C.UTF-8' },
    fileTime: undefined,
  },
  {
    folder: 'another/and-deeper',
    umask: '077',
    env: { TZ: 'Pacific/Chatham', LC_ALL: 'tr_TR.UTF-8', LANG: 'ar_EG.UTF-8' },
    fileTime: '2001-02-03 04:05:06',
  },
];

/** The folders of the two builds. */
export interface TwoBuilds {
  first: string;
  second: string;
}

/** Clones the last commit twice and builds both clones. */
export async function buildTwice(work: string): Promise<TwoBuilds> {
  const [first = '', second = ''] = await Promise.all(
    buildEnvironments.map((environment) => build(work, environment)),
  );
  return { first, second };
}

async function build(work: string, environment: (typeof buildEnvironments)[number]): Promise<string> {
  const { folder, umask, fileTime } = environment;
  const checkout = join(work, folder, 'checkout');
  const out = join(work, folder, 'artifacts');
  mkdirSync(join(work, folder), { recursive: true });
  const script = [
    `umask ${umask}`,
    `git clone --quiet --no-local ${root} ${checkout}`,
    // Uses hard links, because copying all libraries takes longer than the build.
    `cp -al ${join(root, 'node_modules')} ${checkout}/node_modules`,
    `cd ${checkout}`,
    ...(fileTime ? [`git ls-files -z | xargs -0 touch -d '${fileTime}'`] : []),
    'npm run --silent build',
    `npm run --silent release:build -- --unsigned ${out}`,
  ].join(' && ');
  const env = { ...process.env, ...environment.env, SOURCE_DATE_EPOCH: String(sourceDateEpoch()) };
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
      else reject(new Error(`a build exited with ${code}:\n${output}`));
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

/** Compares an artifact of the two builds. If diffoscope is installed, it explains the differences. */
export async function compare(name: string, { first, second }: TwoBuilds): Promise<Outcome> {
  if (!existsSync(join(second, name))) return failed('it is missing in the second build');
  const hashes = await Promise.all([first, second].map((folder) => hashOf(join(folder, name))));
  if (hashes[0] === hashes[1])
    return ok('equal in two builds with different folder, umask, locale, time zone and file times');
  return failed(
    `two builds differ.${isInstalled('diffoscope') ? `\n${explainDifference(join(first, name), join(second, name))}` : ''}`,
  );
}

/** The number of lines of an explanation in the report. */
const maxExplanationLines = 60;
/** The time limit of diffoscope, which disassembles programs and can take hours. */
const explanationTimeoutMs = 120_000;

function explainDifference(firstFile: string, secondFile: string): string {
  const { stdout } = spawnSync('diffoscope', [firstFile, secondFile], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    timeout: explanationTimeoutMs,
  });
  if (stdout === '') return 'diffoscope did not explain the difference within two minutes.';
  return stdout.split('\n').slice(0, maxExplanationLines).join('\n');
}
