/** The actors of a schedule: two people and a cron job, each with different command lines. */
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RandomGenerator } from '../../../src/base/random.ts';
import type { Service } from './service.ts';

/** The codes that both people use, so that their writes conflict. */
const sharedCodes = ['S1', 'S2', 'S3', 'S4'];

/** A time-out that is shorter than the transit of a request, which can arrive after its process has stopped waiting. */
const shortTimeout = ['--timeout', '1'];

export const resources = 'suppliers,tags';

/** Returns the next command line of an actor, or undefined at its end. */
export type Script = () => readonly string[] | undefined;

export interface Workspace {
  /** The home folder of all actors. */
  folder: string;
  mirror: string;
  /** Saved plans with a copy, which both people may apply. */
  plans: string[];
}

export function createWorkspace(folder: string): Workspace {
  for (const name of ['home', 'work']) mkdirSync(join(folder, name), { recursive: true });
  return { folder, mirror: `sqlite:${join(folder, 'work', 'mirror.sqlite')}`, plans: [] };
}

/** Creates records, updates them by key, deletes and restores them, and undoes the last writes. */
export function userA(
  chance: RandomGenerator,
  service: Service,
  { plans }: Workspace,
  lines: number,
): Script {
  let remainingLines = lines;
  let createdCount = 0;
  return () => {
    if (remainingLines-- <= 0) return undefined;
    if (plans.length > 0 && chance.hasChance(2)) return applyPlan(chance.pick(plans), chance);
    const rows = service.rows('suppliers');
    const active = rows.filter((row) => row.deleted_at === null);
    const deleted = rows.filter((row) => row.deleted_at !== null);
    const phone = String(chance.between(500_000, 599_999));
    const kind = active.length === 0 ? 0 : chance.between(0, 9);
    const { id = '', code = '' } = active.length > 0 ? chance.pick(active) : {};
    if (kind <= 1) {
      createdCount += 1;
      return [
        'suppliers',
        'create',
        '--name',
        `A ${createdCount}`,
        '--code',
        `A${createdCount}`,
        '--phone',
        phone,
      ];
    }
    if (kind <= 3) return ['suppliers', 'update', `@code:${code}`, '--phone', phone];
    if (kind <= 5) {
      const sharedCode = chance.pick(sharedCodes);
      return [
        'suppliers',
        'upsert',
        '--key',
        'code',
        '--code',
        sharedCode,
        '--name',
        `Both ${sharedCode}`,
        '--phone',
        phone,
        '--on-deleted',
        'restore',
        ...(chance.hasChance(3) ? shortTimeout : []),
      ];
    }
    if (kind === 6)
      return chance.hasChance(2)
        ? ['suppliers', 'delete', String(id), '--yes']
        : ['suppliers', 'delete', '--where', `code=${code}`, '--yes', '--max-deletes', '100%'];
    if (kind === 7 && deleted.length > 0) return ['suppliers', 'restore', String(chance.pick(deleted).id)];
    if (kind === 8) return ['undo', '--since', '2h', '--yes'];
    return ['undo', '--last', '--yes'];
  };
}

/** Applies a saved plan, or the copy of its file. */
function applyPlan(plan: string, chance: RandomGenerator): readonly string[] {
  const file = chance.pick([plan, `${plan}.copy`]);
  if (!existsSync(`${plan}.copy`)) copyFileSync(plan, `${plan}.copy`);
  return ['apply', '--plan', file, '--yes'];
}

/** Imports files by a key, applies manifests, and saves plans that create records. */
export function userB(chance: RandomGenerator, { folder, plans }: Workspace, lines: number): Script {
  let remainingLines = lines;
  let files = 0;
  const write = (name: string, text: string) => {
    const path = join(folder, 'work', name);
    writeFileSync(path, text);
    return path;
  };
  const randomTimeout = () => (chance.hasChance(3) ? shortTimeout : []);
  return () => {
    if (remainingLines-- <= 0) return undefined;
    files += 1;
    const saved = join(folder, 'work', 'saved.plan');
    if (existsSync(saved) && !plans.includes(saved)) {
      copyFileSync(saved, `${saved}.copy`);
      plans.push(saved);
    }
    if (plans.length > 0 && chance.hasChance(2)) return applyPlan(saved, chance);
    if (plans.length === 0 && chance.hasChance(4)) {
      const file = write(
        'new.csv',
        'code,name,phone\nP1,Planned 1,811111\nP2,Planned 2,822222\nP3,Planned 3,833333\n',
      );
      return ['suppliers', 'import', file, '--mode', 'create', '--out', saved];
    }
    const ownCodes = Array.from(
      { length: chance.between(2, 4) },
      (_, index) => `B${chance.between(0, 1)}${index}`,
    );
    const codes = [...new Set([...ownCodes, ...chance.sample(sharedCodes, 2)])];
    const phone = () => chance.between(600_000, 699_999);
    if (chance.hasChance(3)) {
      const lines = codes.map((code) => `  - { code: ${code}, name: "Both ${code}", phone: "${phone()}" }`);
      const tag = `  - { name: T${chance.between(1, 2)}, type: supplier }`;
      return [
        'apply',
        write(`${files}.yaml`, `suppliers:\n${lines.join('\n')}\ntags:\n${tag}\n`),
        '--yes',
        ...randomTimeout(),
      ];
    }
    const rows = codes.map((code) => `${code},Both ${code},${phone()}`);
    const file = write(`${files}.csv`, `code,name,phone\n${rows.join('\n')}\n`);
    return [
      'suppliers',
      'import',
      file,
      '--key',
      'code',
      '--on-deleted',
      'restore',
      '--yes',
      ...randomTimeout(),
    ];
  };
}

/** Exports changes, syncs the mirror, and makes backups. */
export function cronJob(chance: RandomGenerator, { folder, mirror }: Workspace, lines: number): Script {
  let remainingLines = lines;
  const work = join(folder, 'work');
  return () => {
    if (remainingLines-- <= 0) return undefined;
    const backup = join(work, 'backup');
    const isFirst = !existsSync(join(backup, 'manifest.json'));
    return chance.pick([
      ['suppliers', 'export', '--since', join(work, 'since.json'), '--to', join(work, 'changed.csv')],
      ['mirror', 'sync', '--to', mirror, '--resource', resources],
      ['backup', backup, '--resource', resources, ...(isFirst ? [] : ['--since-last'])],
    ]);
  };
}
