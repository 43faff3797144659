/**
 * `npm run bench:start -- [ROUNDS]`: prints the median time of runs of boh, and its ratio to an empty script on the same
 * Node. The ratio by CPU time depends less on other load on the machine. GitHub's gh is measured if it is installed. With
 * `--peers`, the stripe CLI, installed from npm, lists the same records.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';
import { fetchStripe } from '../tools.ts';
import { type Run, startEnvironment } from './environment.ts';

const roundCount = Number(process.argv.slice(2).find((arg) => /^\d+$/.test(arg)) ?? 25);
const environment = await startEnvironment();
const emptyScript = join(environment.folder, 'empty.js');
writeFileSync(emptyScript, '');
const boh = join(root, 'bin/boh.js');
const completeArgs = ['__complete', 'zsh'];

const peers: { name: string; program: string; args: string[]; runs: Run[] }[] = [
  { name: 'gh --help', program: 'gh', args: ['--help'], runs: [] },
];
if (process.argv.includes('--peers')) {
  const { program, env } = fetchStripe();
  Object.assign(environment.env, env);
  const args = ['customers', 'list', '--api-base', String(environment.env.BOH_BASE_URL)];
  peers.push({ name: 'stripe customers list', program, args, runs: [] });
}

const candidates: { name: string; program?: string; args: string[]; target?: number; runs: Run[] }[] = [
  { name: 'an empty script', args: [emptyScript], runs: [] },
  ...peers,
  { name: 'boh --version', args: [boh, '--version'], target: 1.25, runs: [] },
  { name: 'boh --help', args: [boh, '--help'], target: 1.5, runs: [] },
  { name: 'boh customers --help', args: [boh, 'customers', '--help'], target: 1.5, runs: [] },
  { name: 'complete a command', args: [boh, ...completeArgs, '=cust'], target: 1.5, runs: [] },
  {
    name: 'complete a flag',
    args: [boh, ...completeArgs, '=--na', 'customers', 'list'],
    target: 1.5,
    runs: [],
  },
  {
    name: 'complete a live record',
    args: [boh, ...completeArgs, '=', 'customers', 'get'],
    target: 3,
    runs: [],
  },
  { name: 'boh customers list', args: [boh, 'customers', 'list', '-o', 'json'], target: 2.4, runs: [] },
  {
    name: 'boh --sandbox customers list',
    args: [boh, '--sandbox', 'customers', 'list', '-o', 'json'],
    target: 2.6,
    runs: [],
  },
];

try {
  // The programs take turns, so that other load on the machine affects all programs. The first two rounds fill the caches.
  for (let round = -2; round < roundCount; round++) {
    for (const { name, program, args, runs } of candidates) {
      // Deletes the completion cache, so that each run sends a request.
      rmSync(join(environment.folder, 'cache', 'completion'), { recursive: true, force: true });
      const run = program ? environment.runOther(program, args) : environment.run(args);
      if (!run) continue;
      if (run.bytes === 0 && args[0] === boh) throw new Error(`${name} printed nothing`);
      if (round >= 0) runs.push(run);
    }
  }
} finally {
  environment.stop();
}

const [baseline] = candidates;
for (const { name, target, runs } of candidates) {
  if (runs.length === 0) continue;
  const ratio = (key: keyof Run) => median(runs, key) / median(baseline?.runs ?? [], key);
  const targetText = target === undefined ? '' : `  (target: ${target}x)`;
  const times = `${median(runs, 'ms').toFixed(1).padStart(6)} ms${ratio('ms').toFixed(2).padStart(6)}x`;
  const cpuText = Number.isNaN(ratio('cpuMs')) ? '' : `${ratio('cpuMs').toFixed(2).padStart(6)}x by CPU time`;
  process.stdout.write(`${name.padEnd(30)}${times}${cpuText}${targetText}\n`);
}

function median(runs: readonly Run[], key: keyof Run): number {
  const sortedValues = runs.map((run) => run[key]).sort((a, b) => a - b);
  return sortedValues[Math.floor(sortedValues.length / 2)] ?? Number.NaN;
}
