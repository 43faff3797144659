/**
 * Measures the speed and the overhead of the history: `npm run bench:history -- [ENTRIES]` (default: 1,000,000). Runs
 * queries and a blame on a journal of that size. Sends single writes and an import to a sandbox server, alternately
 * with and without the journal. Prints medians of the run time and of the CPU time, which depends less on other load.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountFolder } from '../../src/account/session/account.ts';
import { Journal } from '../../src/engine/history/journal/journal.ts';
import { logFile } from '../../src/engine/runs/log.ts';
import { root } from '../root.ts';
import { readUsage, usagePreload } from './usage.ts';

const count = Number(process.argv[2] ?? 1_000_000);
const folder = mkdtempSync(join(tmpdir(), 'boh-bench-'));
const boh = join(root, 'bin/boh.js');
const report = join(folder, 'usage.json');
const env = { PATH: process.env.PATH ?? '', BOH_CONFIG_DIR: folder };

try {
  fillJournal();
  measureQueries();
  await measureOverhead();
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** Writes updates of the costs of a thousand items. Before them, another user updates the names of suppliers. */
function fillJournal(): void {
  const file = logFile(accountFolder(env, { service: 'the sandbox "default"' }));
  const journal = new Journal(file);
  const startMs = performance.now();
  for (let number = 1; number <= count; ) {
    const isFirst = number === 1;
    const lastNumber = Math.min(count, number + (isFirst ? 99 : 9999));
    journal.write(() => {
      const command = journal.addCommand(number, {
        run: `bench-${number}`,
        line: 'boh inventory-items import prices.csv',
        profile: isFirst ? 'before' : 'bench',
        user: { name: isFirst ? 'Another' : 'Bench' },
      });
      for (; number <= lastNumber; number++) {
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
  journal.close();
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const size = (statSync(file).size / 1e6).toFixed(0);
  print(`${count.toLocaleString('en-US')} entries: ${size} MB, written in ${seconds} s`);
}

function measureQueries(): void {
  const historyLine = (...args: string[]) => ['--sandbox', 'history', ...args, '--limit', '50', '-o', 'csv'];
  const commandLines = {
    'boh --version': ['--version'],
    'history, first page': historyLine(),
    'history of one resource': historyLine('inventory-items'),
    'history since the last hour': historyLine('--since', '1h'),
    'history since the beginning': historyLine('--since', '1970-01-01'),
    'history of one record': historyLine('inventory-items', 'item-7'),
    'history of a field': historyLine('--field', 'cost'),
    'history of a field that only the oldest entries contain': historyLine('--field', 'name'),
    'history of a field without entries': historyLine('--field', 'phone'),
    'history of a resource and a field': historyLine('inventory-items', '--field', 'cost'),
    'history of a resource and a field that only the oldest entries contain': historyLine(
      ...['suppliers', '--field', 'name'],
    ),
    'history --by of a user': historyLine('--by', 'Bench'),
    'history --by of a user with only the oldest entries': historyLine('--by', 'Another'),
    'history --by of a resource, without a match': historyLine('inventory-items', '--by', 'Unknown'),
    'history --by of a profile, a resource and a field': historyLine(
      ...['inventory-items', '--by', 'bench', '--field', 'cost', '--since', '1h'],
    ),
    blame: ['--sandbox', 'blame', 'inventory-items', 'item-7', '-o', 'json'],
  };
  for (const [name, line] of Object.entries(commandLines)) {
    const runs = Array.from({ length: 15 }, () => measure(line));
    print(`${name}: ${median(runs.map(({ ms }) => ms)).toFixed(0)} ms, ${formatCpuTime(runs)} of CPU time`);
  }
}

async function measureOverhead(): Promise<void> {
  const child = spawn(process.execPath, [boh, 'sandbox', 'serve', '--memory', '--port', '0', '-o', 'json'], {
    env,
  });
  const [line] = await once(child.stdout, 'data');
  const { base_url: baseUrl, token } = JSON.parse(String(line));
  const serverEnv = { ...env, BOH_BASE_URL: baseUrl, BOH_TOKEN: token };
  const envWithJournal = { ...serverEnv, BOH_HISTORY_BEFORE: 'off' };
  const envWithoutJournal = { ...serverEnv, BOH_HISTORY_JOURNAL: 'off' };
  try {
    const update = ['suppliers', 'update', 'supplier-1', '--phone', '5', '--quiet', '-o', 'id'];
    print(
      `a single write: ${formatOverhead(40, () => [measure(update, envWithJournal), measure(update, envWithoutJournal)])}`,
    );
    const file = join(folder, 'customers.csv');
    const runImport = (prefix: string, importEnv: Record<string, string>) => {
      const rows = Array.from(
        { length: 3000 },
        (_, index) => `${prefix} ${index},77${String(index).padStart(7, '0')}`,
      );
      writeFileSync(file, ['name,phone', ...rows].join('\n'));
      return measure(
        ['customers', 'import', file, '--mode', 'create', '--yes', '--quiet', '-o', 'id'],
        importEnv,
      );
    };
    let round = 0;
    print(
      `an import of 3,000 rows: ${formatOverhead(7, () => [runImport(`On ${round++}`, envWithJournal), runImport(`Off ${round++}`, envWithoutJournal)])}`,
    );
  } finally {
    child.kill();
  }
}

/** The duration and the CPU time of a run. */
interface RunTime {
  ms: number;
  cpuMs: number;
}

function measure(line: readonly string[], runEnv: Record<string, string> = env): RunTime {
  const startMs = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--require', usagePreload, boh, ...line], {
    env: { ...runEnv, REPORT: report },
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(`${line.join(' ')}: ${stderr}`);
  return { ms: performance.now() - startMs, cpuMs: readUsage(report).cpuSeconds * 1000 };
}

function formatCpuTime(runs: readonly RunTime[]): string {
  return `${median(runs.map(({ cpuMs }) => cpuMs)).toFixed(0)} ms`;
}

/** Returns the overhead of the journal. Compares pairs of runs, because other load on the machine affects both. */
function formatOverhead(pairCount: number, runPair: () => [RunTime, RunTime]): string {
  const pairs = Array.from({ length: pairCount }, runPair);
  const overhead = (key: keyof RunTime) => {
    const ms = median(
      pairs.map(([withJournal, withoutJournal]) => withJournal[key] - withoutJournal[key]),
    ).toFixed(1);
    const percent = median(
      pairs.map(([withJournal, withoutJournal]) => (withJournal[key] / withoutJournal[key] - 1) * 100),
    ).toFixed(1);
    return `${ms} ms more with it (${percent} %)`;
  };
  const ms = median(pairs.map(([, withoutJournal]) => withoutJournal.ms)).toFixed(0);
  const cpu = formatCpuTime(pairs.map(([, withoutJournal]) => withoutJournal));
  return `${ms} ms without the journal, ${overhead('ms')}; CPU time ${cpu}, ${overhead('cpuMs')}`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
