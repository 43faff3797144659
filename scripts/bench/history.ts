/**
 * What the history costs and how fast it answers: `npm run bench:history -- [ENTRIES]`, 1,000,000 unless told
 * otherwise. Times the first page and a blame on a journal of a million entries; single writes and an import
 * are sent with the journal on and off, by turns, to a sandbox in a process of its own. Figures are medians, of whole runs
 * and of the processor's time that they took, which a busy machine changes less.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enterQueued } from '../../src/history/journal/enter-queued.ts';
import { Journal } from '../../src/history/journal/journal.ts';
import { journalFile } from '../../src/history/journal/journal-path.ts';
import { root } from '../root.ts';
import { reportUse, usedBy } from './used.ts';

const count = Number(process.argv[2] ?? 1_000_000);
const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
const boh = join(root, 'bin/boh.js');
const report = join(folder, 'cpu');
const env = { PATH: process.env.PATH ?? '', BOH_CONFIG_DIR: folder };

try {
  fill();
  answers();
  await costs();
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** Prices of a thousand items, each changed over and over; at the very beginning another user wrote names of suppliers. */
function fill(): void {
  const file = journalFile(env, 'the sandbox "default"');
  const journal = new Journal(file);
  const began = performance.now();
  for (let number = 1; number <= count; ) {
    const isFirst = number === 1;
    const until = Math.min(count, number + (isFirst ? 99 : 9999));
    journal.write(() => {
      const command = journal.addCommand(number, {
        run: `bench-${number}`,
        line: 'boh inventory-items import prices.csv',
        profile: isFirst ? 'before' : 'bench',
        account: isFirst ? { key: 'before', userName: 'Another' } : { key: 'bench', userName: 'Bench' },
      });
      for (; number <= until; number++) {
        const id = `item-${number % 1000}`;
        const record = { id, name: `Item ${number % 1000}`, cost: number };
        const entry = journal.addEntry({
          at: number * 1000,
          command,
          resource: isFirst ? 'suppliers' : 'inventory_items',
          verb: 'update',
          fields: isFirst ? ['name'] : ['cost'],
          ids: [id],
          request: { method: 'PUT', target: `/inventory_items/${id}`, body: { cost: number + 1 } },
          before: record,
        });
        journal.addOutcome(entry, {
          at: number * 1000 + 5,
          outcome: 'done',
          after: { ...record, cost: number + 1 },
        });
      }
    });
  }
  enterQueued(journal.database);
  journal.close();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const size = (statSync(file).size / 1e6).toFixed(0);
  print(`${count.toLocaleString('en-US')} entries: ${size} MB, written in ${seconds} s`);
}

function answers(): void {
  const page = (...words: string[]) => ['--sandbox', 'history', ...words, '--limit', '50', '-o', 'csv'];
  const lines = {
    'boh --version': ['--version'],
    'history, first page': page(),
    'history of one resource': page('inventory-items'),
    'history since the last hour': page('--since', '1h'),
    'history since the beginning': page('--since', '1970-01-01'),
    'history of one record': page('inventory-items', 'item-7'),
    'history of a field': page('--field', 'cost'),
    'history of a field that was only written at the beginning': page('--field', 'name'),
    'history of a field that never was': page('--field', 'phone'),
    'history of a resource and a field': page('inventory-items', '--field', 'cost'),
    'history of a resource and a field that were only written at the beginning': page(
      ...['suppliers', '--field', 'name'],
    ),
    'history --by, of one user': page('--by', 'Bench'),
    'history --by, of one who only wrote at the beginning': page('--by', 'Another'),
    'history --by, without a match, of a resource': page('inventory-items', '--by', 'Unknown'),
    'history by a profile, of a resource and a field': page(
      ...['inventory-items', '--by', 'bench', '--field', 'cost', '--since', '1h'],
    ),
    blame: ['--sandbox', 'blame', 'inventory-items', 'item-7', '-o', 'json'],
  };
  for (const [name, line] of Object.entries(lines)) {
    const all = Array.from({ length: 15 }, () => timed(line));
    print(`${name}: ${middle(all.map(({ ms }) => ms)).toFixed(0)} ms, ${cpuOf(all)} of the processor`);
  }
}

async function costs(): Promise<void> {
  const child = spawn(process.execPath, [boh, 'sandbox', 'serve', '--memory', '--port', '0', '-o', 'json'], {
    env,
  });
  const [text] = await once(child.stdout, 'data');
  const { base_url: address, token } = JSON.parse(String(text));
  const served = { ...env, BOH_BASE_URL: address, BOH_TOKEN: token };
  const on = { ...served, BOH_HISTORY_BEFORE: 'off' };
  const off = { ...served, BOH_HISTORY_JOURNAL: 'off' };
  try {
    const update = ['suppliers', 'update', 'supplier-1', '--phone', '5', '--quiet', '-o', 'id'];
    print(`a single write: ${pairs(40, () => [timed(update, on), timed(update, off)])}`);
    const file = join(folder, 'customers.csv');
    const load = (mark: string, own: Record<string, string>) => {
      const rows = Array.from({ length: 3000 }, (_, at) => `${mark} ${at},77${String(at).padStart(7, '0')}`);
      writeFileSync(file, ['name,phone', ...rows].join('\n'));
      return timed(['customers', 'import', file, '--mode', 'create', '--yes', '--quiet', '-o', 'id'], own);
    };
    let round = 0;
    print(
      `an import of 3,000 rows: ${pairs(7, () => [load(`On ${round++}`, on), load(`Off ${round++}`, off)])}`,
    );
  } finally {
    child.kill();
  }
}

/** A whole run, in milliseconds: as long as it took, and as long as the processor had to do for it. */
interface Timed {
  ms: number;
  cpu: number;
}

function timed(line: readonly string[], own: Record<string, string> = env): Timed {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--require', reportUse, boh, ...line], {
    env: { ...own, REPORT: report },
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(`${line.join(' ')}: ${stderr}`);
  return { ms: performance.now() - began, cpu: usedBy(report).seconds * 1000 };
}

function cpuOf(all: readonly Timed[]): string {
  return `${middle(all.map(({ cpu }) => cpu)).toFixed(0)} ms`;
}

/** What is on top with the journal, pair by pair: a machine that is busy is busy for both. */
function pairs(times: number, measure: () => [Timed, Timed]): string {
  const all = Array.from({ length: times }, measure);
  const onTop = (of: keyof Timed) => {
    const more = middle(all.map(([on, off]) => on[of] - off[of])).toFixed(1);
    const share = middle(all.map(([on, off]) => (on[of] / off[of] - 1) * 100)).toFixed(1);
    return `${more} ms more with it (${share} %)`;
  };
  const without = middle(all.map(([, off]) => off.ms)).toFixed(0);
  return `${without} ms without the journal, ${onTop('ms')}; of the processor ${cpuOf(all.map(([, off]) => off))}, ${onTop('cpu')}`;
}

function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
