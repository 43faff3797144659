/**
 * Prints how long whole runs of boh take, as medians and as multiples of an empty script on the same Node, and of the
 * processor's time, which tells more where others use the machine too. `npm run bench:start -- [ROUNDS]`. GitHub's gh
 * is held beside where it is installed, and with `--peers` the stripe CLI, fetched from npm, lists the same bytes.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';
import { fetchStripe } from '../tools.ts';
import { type Run, startPlace } from './place.ts';

const rounds = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 25);
const place = await startPlace();
const empty = join(place.folder, 'empty.js');
writeFileSync(empty, '');
const boh = join(root, 'bin/boh.js');
const complete = ['__complete', 'zsh'];

const peers: { name: string; program: string; words: string[]; runs: Run[] }[] = [
  { name: 'gh --help', program: 'gh', words: ['--help'], runs: [] },
];
if (process.argv.includes('--peers')) {
  const { program, env } = fetchStripe();
  Object.assign(place.env, env);
  const words = ['customers', 'list', '--api-base', String(place.env.BOH_BASE_URL)];
  peers.push({ name: 'stripe customers list', program, words, runs: [] });
}

const candidates: { name: string; program?: string; words: string[]; goal?: number; runs: Run[] }[] = [
  { name: 'an empty script', words: [empty], runs: [] },
  ...peers,
  { name: 'boh --version', words: [boh, '--version'], goal: 1.25, runs: [] },
  { name: 'boh --help', words: [boh, '--help'], goal: 1.5, runs: [] },
  { name: 'boh customers --help', words: [boh, 'customers', '--help'], goal: 1.5, runs: [] },
  { name: 'complete a command', words: [boh, ...complete, '=cust'], goal: 1.5, runs: [] },
  {
    name: 'complete a flag',
    words: [boh, ...complete, '=--na', 'customers', 'list'],
    goal: 1.5,
    runs: [],
  },
  {
    name: 'complete a live record',
    words: [boh, ...complete, '=', 'customers', 'get'],
    goal: 3,
    runs: [],
  },
  { name: 'boh customers list', words: [boh, 'customers', 'list', '-o', 'json'], goal: 2.4, runs: [] },
  {
    name: 'boh --sandbox customers list',
    words: [boh, '--sandbox', 'customers', 'list', '-o', 'json'],
    goal: 2.6,
    runs: [],
  },
];

try {
  // Interleaved, so that a busy moment of the machine hits all alike; the first two rounds warm the caches.
  for (let round = -2; round < rounds; round++) {
    for (const { name, program, words, runs } of candidates) {
      // A new request: what Tab has shown within minutes comes from a file.
      rmSync(join(place.folder, 'cache', 'completion'), { recursive: true, force: true });
      const run = program ? place.runOther(program, words) : place.run(words);
      if (!run) continue;
      if (run.bytes === 0 && words[0] === boh) throw new Error(`${name} said nothing`);
      if (round >= 0) runs.push(run);
    }
  }
} finally {
  place.leave();
}

const [base] = candidates;
for (const { name, goal, runs } of candidates) {
  if (runs.length === 0) continue;
  const ratio = (part: keyof Run) => median(runs, part) / median(base?.runs ?? [], part);
  const target = goal === undefined ? '' : `  (to reach: ${goal}x)`;
  const times = `${median(runs, 'time').toFixed(1).padStart(6)} ms${ratio('time').toFixed(2).padStart(6)}x`;
  const byWork = Number.isNaN(ratio('work'))
    ? ''
    : `${ratio('work').toFixed(2).padStart(6)}x by processor time`;
  process.stdout.write(`${name.padEnd(30)}${times}${byWork}${target}\n`);
}

function median(runs: readonly Run[], part: keyof Run): number {
  const sorted = runs.map((run) => run[part]).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
