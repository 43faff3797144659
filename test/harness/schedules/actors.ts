/** The actors of a schedule: two people and a cron job, each with command lines of their own. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RandomGenerator } from '../../../src/base/random.ts';
import type { Service } from './service.ts';

/** Codes that both people use, so that their writes conflict. */
const shared = ['S1', 'S2', 'S3', 'S4'];

/** Shorter than the travel time of a request, which can arrive after its process has stopped waiting. */
const hurry = ['--timeout', '1'];

export const resources = 'suppliers,tags';

/** Returns the next command line of an actor, or undefined where nothing is left to do. */
export type Script = () => readonly string[] | undefined;

export interface Place {
  /** The home folder of all actors. */
  folder: string;
  mirror: string;
}

export function makePlace(folder: string): Place {
  for (const name of ['home', 'work']) mkdirSync(join(folder, name), { recursive: true });
  return { folder, mirror: `sqlite:${join(folder, 'work', 'mirror.sqlite')}` };
}

/** Makes records, changes them by name, deletes them, restores them, and undoes what was written last. */
export function personA(chance: RandomGenerator, service: Service, lines: number): Script {
  let left = lines;
  let made = 0;
  return () => {
    if (left-- <= 0) return undefined;
    const rows = service.rows('suppliers');
    const active = rows.filter((row) => row.deleted_at === null);
    const deleted = rows.filter((row) => row.deleted_at !== null);
    const phone = String(chance.between(500_000, 599_999));
    const kind = active.length === 0 ? 0 : chance.between(0, 9);
    const { id = '', code = '' } = active.length > 0 ? chance.one(active) : {};
    if (kind <= 1) {
      made += 1;
      return ['suppliers', 'create', '--name', `A ${made}`, '--code', `A${made}`, '--phone', phone];
    }
    if (kind <= 3) return ['suppliers', 'update', `@code:${code}`, '--phone', phone];
    if (kind <= 5) {
      const named = chance.one(shared);
      return [
        'suppliers',
        'upsert',
        '--key',
        'code',
        '--code',
        named,
        '--name',
        `Both ${named}`,
        '--phone',
        phone,
        '--on-deleted',
        'restore',
        ...(chance.oneIn(3) ? hurry : []),
      ];
    }
    if (kind === 6) return ['suppliers', 'delete', String(id), '--yes'];
    if (kind === 7 && deleted.length > 0) return ['suppliers', 'restore', String(chance.one(deleted).id)];
    if (kind === 8) return ['undo', '--since', '2h', '--yes'];
    return ['undo', '--last', '--yes'];
  };
}

/** Imports a file by a key, applies a manifest, and resumes what was left. */
export function personB(chance: RandomGenerator, { folder }: Place, lines: number): Script {
  let left = lines;
  let files = 0;
  const write = (name: string, text: string) => {
    const path = join(folder, 'work', name);
    writeFileSync(path, text);
    return path;
  };
  const isOneIn = (times: number) => chance.oneIn(times);
  const soon = () => (isOneIn(3) ? hurry : []);
  return () => {
    if (left-- <= 0) return undefined;
    files += 1;
    const own = Array.from(
      { length: chance.between(2, 4) },
      (_, index) => `B${chance.between(0, 1)}${index}`,
    );
    const codes = [...new Set([...own, ...chance.some(shared, 2)])];
    const phone = () => chance.between(600_000, 699_999);
    if (isOneIn(3)) {
      const lines = codes.map((code) => `  - { code: ${code}, name: "Both ${code}", phone: "${phone()}" }`);
      const tag = `  - { name: T${chance.between(1, 2)}, type: supplier }`;
      return [
        'apply',
        write(`${files}.yaml`, `suppliers:\n${lines.join('\n')}\ntags:\n${tag}\n`),
        '--yes',
        ...soon(),
      ];
    }
    const rows = codes.map((code) => `${code},Both ${code},${phone()}`);
    const file = write(`${files}.csv`, `code,name,phone\n${rows.join('\n')}\n`);
    return ['suppliers', 'import', file, '--key', 'code', '--on-deleted', 'restore', '--yes', ...soon()];
  };
}

/** Exports changes, syncs the mirror, and makes backups. */
export function cronJob(chance: RandomGenerator, { folder, mirror }: Place, lines: number): Script {
  let left = lines;
  const work = join(folder, 'work');
  return () => {
    if (left-- <= 0) return undefined;
    const backup = join(work, 'backup');
    const isFirst = !existsSync(join(backup, 'manifest.json'));
    return chance.one([
      ['suppliers', 'export', '--since', join(work, 'since.json'), '--to', join(work, 'changed.csv')],
      ['mirror', 'sync', '--to', mirror, '--resource', resources],
      ['backup', backup, '--resource', resources, ...(isFirst ? [] : ['--since-last'])],
    ]);
  };
}
