/** Runs one schedule from its seed. The actors work with failures, then without, and the invariants are checked. */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RandomGenerator } from '../../../src/base/random.ts';
import { Actor, type Command } from './actor.ts';
import { createWorkspace, cronJob, resources, type Script, userA, userB } from './actors.ts';
import type { MachineClock, Thread } from './baton.ts';
import {
  checkCommands,
  checkFilteredDeletions,
  checkHistory,
  checkKeys,
  checkMirror,
  checkSecrets,
  stateOf,
} from './invariants.ts';
import { Scheduler } from './scheduler.ts';
import { openService, type Service } from './service.ts';

/** The outcome of a schedule. */
export interface ScheduleOutcome {
  seed: number;
  steps: number;
  /** The number of command lines. */
  commands: number;
  /** The number of failed requests and disk writes. */
  faults: number;
  /** A digest of all events, in order, and of all output. */
  digest: string;
  /** The violations, as messages. */
  problems: string[];
}

export interface Machine {
  folder: string;
  clock: MachineClock;
  threads: readonly [Thread, Thread, Thread];
  seedChance(seed: number): void;
}

export interface ScheduleOptions {
  isResending?: boolean;
  onStep?: ((label: string) => void) | undefined;
  onEnd?: ((command: Command) => void) | undefined;
}

/** The time of the simulated machine at the start of every schedule. */
const startTimeMs = Date.UTC(2026, 10, 20, 8);

export async function runSchedule(
  machine: Machine,
  seed: number,
  options: ScheduleOptions = {},
): Promise<ScheduleOutcome> {
  const { folder, clock, threads, seedChance } = machine;
  const chance = new RandomGenerator(seed);
  seedChance(seed);
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  const workspace = createWorkspace(folder);
  [clock.steady, clock.wallOffset] = [0, startTimeMs];
  const service = await openService(() => Math.floor(startTimeMs + clock.steady));
  const token = service.token();
  const home = join(folder, 'home');
  const env = {
    HOME: home,
    TZ: 'UTC',
    BOH_CONFIG_DIR: join(home, 'boh'),
    BOH_BASE_URL: 'http://127.0.0.1:9',
    BOH_TOKEN: token,
  };
  const actors = ['A', 'B', 'cron'].map((name, index) => new Actor(name, threads[index] as Thread)) as [
    Actor,
    Actor,
    Actor,
  ];
  const scheduler = new Scheduler({ chance, clock, service, actors, folder, env, ...options });
  const problems: string[] = [];
  try {
    const lines = () => chance.between(2, 6);
    const scripts = new Map<Actor, Script>([
      [actors[0], userA(chance, service, workspace, lines())],
      [actors[1], userB(chance, workspace, lines())],
      [actors[2], cronJob(chance, workspace, lines())],
    ]);
    scheduler.failureRates = {
      requests: chance.pick([0, 5, 10, 30]),
      disk: chance.pick([0, 0, 1, 3]),
      jumps: chance.pick([0, 0, 1, 3]),
      interrupts: chance.pick([0, 1, 2]),
    };
    service.ignoresFilters = chance.hasChance(4);
    scheduler.run((actor) => scripts.get(actor)?.());
    scheduler.failureRates = { requests: 0, disk: 0, jumps: 0, interrupts: 0 };

    const runAlone = (...argv: string[]) => {
      const before = scheduler.commands.length;
      let isAssigned = false;
      scheduler.run((actor) => {
        if (actor !== actors[0] || isAssigned) return undefined;
        isAssigned = true;
        return argv;
      });
      return scheduler.commands[before] as Command;
    };
    const outputOf = (command: Command) => {
      if (command.ended?.exitCode !== 0)
        problems.push(
          `boh ${command.argv.join(' ')} ended with ${command.ended?.exitCode}: ${command.ended?.stderr}`,
        );
      return command.ended?.stdout ?? '';
    };

    // Resumes unfinished runs. They keep changes that others made since.
    const runs = JSON.parse(outputOf(runAlone('runs', 'list', '-o', 'json'))) as {
      id: string;
      state: string;
    }[];
    for (const { id, state } of runs) if (state !== 'finished') runAlone('runs', 'resume', id, '--yes');
    if (existsSync(join(folder, 'work', 'backup', 'manifest.json')))
      outputOf(runAlone('backup', 'verify', join(folder, 'work', 'backup')));
    outputOf(runAlone('history', 'verify'));
    problems.push(
      ...checkHistory(
        outputOf(runAlone('history', '-o', 'json')),
        service.completedWrites,
        scheduler.commands,
      ),
    );
    problems.push(...checkKeys(service), ...checkFilteredDeletions(scheduler.commands, service));
    outputOf(runAlone('mirror', 'sync', '--to', workspace.mirror, '--resource', resources));
    outputOf(runAlone('mirror', 'diff', '--to', workspace.mirror, '--resource', resources));
    problems.push(...checkMirror(join(folder, 'work', 'mirror.sqlite'), service));

    // All further writes are undone again.
    const before = stateOf(service);
    const rows = ['S1', 'S2', 'B00', 'N1', 'N2'].map(
      (code) => `${code},Undone ${code},${chance.between(7e5, 8e5)}`,
    );
    const file = join(folder, 'work', 'undone.csv');
    writeFileSync(file, `code,name,phone\n${rows.join('\n')}\n`);
    outputOf(runAlone('suppliers', 'import', file, '--key', 'code', '--on-deleted', 'restore', '--yes'));
    outputOf(runAlone('undo', '--last', '--yes'));
    const after = stateOf(service);
    if (JSON.stringify(before) !== JSON.stringify(after))
      problems.push(`The undo didn't restore: ${JSON.stringify({ before, after })}`);

    service.ignoresFilters = false;
    problems.push(...promoteWithEdit({ service, token, clock, runAlone }));
    problems.push(...checkCommands(scheduler.commands, service.completedWrites));
    problems.push(...checkSecrets(folder, token, scheduler.commands));
  } catch (error) {
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    service.close();
  }
  for (const command of scheduler.commands) options.onEnd?.(command);
  return {
    seed,
    steps: scheduler.steps,
    commands: scheduler.commands.length,
    faults: scheduler.commands.reduce((sum, { faults }) => sum + faults.length, 0),
    digest: scheduler.digest,
    // The folder has a different name each time and is deleted at the end.
    problems: [...problems, ...scheduler.unhandled.map((reason) => `Unhandled: ${reason}`)].map((problem) =>
      problem.replaceAll(folder, '…'),
    ),
  };
}

/**
 * Runs two promotions of one record, and edits the record outside of boh during the first. The edit must stay, and the second
 * promotion must start and restore it.
 */
function promoteWithEdit({
  service,
  token,
  clock,
  runAlone,
}: {
  service: Service;
  token: string;
  clock: MachineClock;
  runAlone(...argv: string[]): Command;
}): string[] {
  const phoneOf = (id: unknown) => service.rows('suppliers').find((row) => row.id === id)?.phone;
  const record = service
    .rows('suppliers')
    .find(({ deleted_at, code }) => deleted_at === null && code !== null);
  if (!record) return [];
  const timeIn = (minutes: number) =>
    new Date(clock.wall + minutes * 60_000).toISOString().slice(0, 16).replace('T', ' ');
  const runDue = () => {
    clock.wallOffset += 20 * 60_000;
    return runAlone('change', 'run').ended?.stderr;
  };
  const problems: string[] = [];
  const expectPhone = (phone: string, event: string, output?: string) => {
    if (phoneOf(record.id) !== phone)
      problems.push(`After ${event}, the phone is ${phoneOf(record.id)}, not ${phone}: ${output}`);
  };
  const promote = (name: string, phone: string) => {
    // Between them is more time than a limit of two requests a minute needs.
    const times = ['--at', timeIn(10), '--until', timeIn(30), '--timezone', 'UTC'];
    const source = ['suppliers', '--where', `code=${record.code}`, '--set', `phone=${phone}`];
    return runAlone('change', 'create', name, ...source, ...times, '--yes').ended?.stderr;
  };
  const created = promote('first', '111111');
  expectPhone('111111', 'the first start', `${created}${runDue()}`);
  service.editPhone(token, String(record.id), '777777');
  expectPhone('777777', 'the first end', runDue());
  const createdNext = promote('second', '222222');
  expectPhone('222222', 'the second start', `${createdNext}${runDue()}`);
  expectPhone('777777', 'the second end', runDue());
  return problems;
}
