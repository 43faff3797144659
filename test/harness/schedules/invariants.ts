/** Checks the invariants after a schedule. Each check returns the violations as messages. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Command } from './actor.ts';
import type { CompletedWrite, ModelRow, Service } from './service.ts';

/** An entry in the output of `boh history -o json`. */
interface Entry {
  number: number;
  resource: string;
  verb: string;
  ids: string[];
  outcome: string;
}

/** Checks that no command line ended with an internal error or reported a write that the service didn't complete. */
export function checkCommands(
  commands: readonly Command[],
  completedWrites: readonly CompletedWrite[],
): string[] {
  return commands.flatMap(({ number, actor, argv, ended: result }) => {
    const commandName = `${actor}'s command ${number} (boh ${argv.slice(0, 3).join(' ')})`;
    if (!result) return [`${commandName} never ended.`];
    const problems: string[] = [];
    if (result.exitCode === 1) problems.push(`${commandName} ended with a bug: ${result.stderr}`);
    const writes = completedWrites.filter((write) => write.command === number);
    const outcome = outcomeOf(result.stderr);
    if (outcome === 'not_sent' && writes.length > 0)
      problems.push(
        `${commandName} reports that no request was sent, but the service completed ${writes.length} writes: ${result.stderr}`,
      );
    if (result.exitCode === 0 && /^suppliers (create|upsert|update)/.test(argv.join(' '))) {
      const { id } = JSON.parse(result.stdout) as { id: string };
      if (argv[1] === 'create' && !writes.some((write) => write.verb === 'create' && write.id === id))
        problems.push(`${commandName} reports supplier ${id}, which the service didn't create.`);
    }
    // A resumed run looks up the writes that it sent before it stopped, and doesn't send them again.
    problems.push(
      ...unconfirmedRows(result.stdout, argv[0] === 'runs' ? completedWrites : writes).map(
        (row) => `${commandName} reports a row as done that the service didn't complete: ${row}`,
      ),
    );
    return problems;
  });
}

/** Returns the rows that a run reports as done although the service hasn't completed them. */
function unconfirmedRows(stdout: string, writes: readonly CompletedWrite[]): string[] {
  return stdout.split('\n').filter((line) => {
    if (!line.startsWith('{"')) return false;
    const { action, id, outcome } = JSON.parse(line) as { action?: string; id?: string; outcome?: string };
    const isWrite = ['create', 'update', 'delete', 'restore'].includes(action ?? '');
    return isWrite && outcome === 'done' && !writes.some((write) => write.id === id);
  });
}

function outcomeOf(stderr: string): string | undefined {
  try {
    return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error?.outcome;
  } catch {
    return undefined;
  }
}

/** Checks that the history contains each acknowledged write once as done, and no other writes as done. */
export function checkHistory(
  text: string,
  completedWrites: readonly CompletedWrite[],
  commands: readonly Command[],
): string[] {
  const entries = (JSON.parse(text) as Entry[]).filter(({ verb }) => verb !== 'other');
  // If the history can't be written, boh warns and writes to the service anyway.
  const exempt = new Set(
    commands
      .filter(
        ({ hadDiskFault, ended: result }) => hadDiskFault && /warning:.*history/i.test(result?.stderr ?? ''),
      )
      .map(({ number }) => number),
  );
  const completedCounts = countOf(entries.filter(({ outcome }) => outcome === 'done').map(keyOf));
  const acknowledged = completedWrites.filter((write) => write.isAcknowledged && !write.isRepeated);
  const confirmedCounts = countOf(acknowledged.filter(({ command }) => !exempt.has(command)).map(keyOf));
  const possibleCounts = countOf(completedWrites.filter(({ isRepeated }) => !isRepeated).map(keyOf));
  // A write that the service completed is never recorded as refused, whatever was interrupted afterwards.
  const recorded = countOf(
    entries.flatMap(({ resource, verb, outcome }) =>
      outcome === 'refused' ? [] : [`${verb} of ${resource}`],
    ),
  );
  const expected = countOf(
    completedWrites
      .filter(({ isRepeated, command }) => !isRepeated && !exempt.has(command))
      .map(({ resource, verb }) => `${verb} of ${resource}`),
  );
  return [
    ...[...expected].flatMap(([key, count]) =>
      (recorded.get(key) ?? 0) < count
        ? [`The history has ${recorded.get(key) ?? 0} of ${count} writes: ${key}.`]
        : [],
    ),
    ...[...confirmedCounts].flatMap(([key, count]) =>
      (completedCounts.get(key) ?? 0) < count
        ? [`The history has ${completedCounts.get(key) ?? 0} of ${count} acknowledged writes: ${key}.`]
        : [],
    ),
    ...[...completedCounts].flatMap(([key, count]) =>
      (possibleCounts.get(key) ?? 0) < count
        ? [
            `The history has ${count} writes as done, but the service has completed only ${possibleCounts.get(key) ?? 0}: ${key}.`,
          ]
        : [],
    ),
  ];
}

function keyOf(write: { resource: string; verb: string; id?: string; ids?: string[] }): string {
  return `${write.verb} of ${write.resource} ${write.id ?? write.ids?.[0]}`;
}

function countOf(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Checks that each deletion over a filter has deleted only records that match it, although the service may ignore filters. */
export function checkFilteredDeletions(commands: readonly Command[], service: Service): string[] {
  const codes = new Map(service.rows('suppliers').map(({ id, code }) => [id, code]));
  return commands.flatMap(({ number, argv }) => {
    const [, code] = /^suppliers delete --where code=(\S+)/.exec(argv.join(' ')) ?? [];
    const wrong = service.completedWrites.filter(
      (write) => write.command === number && code !== undefined && codes.get(write.id) !== code,
    );
    return wrong.map(
      ({ id }) => `Command ${number} deleted ${id} with the code ${codes.get(id)}, not ${code}.`,
    );
  });
}

/** Checks that no two records have the same key. */
export function checkKeys(service: Service): string[] {
  const keys = [
    ...service.rows('suppliers').map(({ code, deleted_at }) => ({ key: `supplier ${code}`, deleted_at })),
    ...service.rows('tags').map(({ name, deleted_at }) => ({ key: `tag ${name}`, deleted_at })),
  ].filter(({ deleted_at }) => deleted_at === null);
  return [...countOf(keys.map(({ key }) => key))].flatMap(([key, count]) =>
    count > 1 ? [`${count} records have the same key: ${key}.`] : [],
  );
}

/** Checks that the mirror has the same rows as the account. */
export function checkMirror(file: string, service: Service): string[] {
  const mirror = new DatabaseSync(file, { readOnly: true });
  try {
    const comparable = (row: ModelRow) =>
      JSON.stringify([row.id, row.name, row.code ?? null, row.phone ?? null, row.updated_at, row.deleted_at]);
    return (['suppliers', 'tags'] as const).flatMap((table) => {
      const mirrorRows = mirror.prepare(`SELECT * FROM ${table} ORDER BY id`).all() as ModelRow[];
      const [copy, account] = [
        new Set(mirrorRows.map(comparable)),
        new Set(service.rows(table).map(comparable)),
      ];
      return [
        ...[...account.difference(copy)].map(
          (row) => `The mirror doesn't contain this row of ${table}: ${row}`,
        ),
        ...[...copy.difference(account)].map(
          (row) => `The mirror has a row of ${table} that the account doesn't have: ${row}`,
        ),
      ];
    });
  } finally {
    mirror.close();
  }
}

/** Checks that no file and no output contains the secret. */
export function checkSecrets(folder: string, secret: string, commands: readonly Command[]): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return [
    ...files.flatMap((file) =>
      readFileSync(file).includes(secret) ? [`The file ${file} contains the token.`] : [],
    ),
    ...commands.flatMap(({ number, ended: result }) =>
      `${result?.stdout}${result?.stderr}`.includes(secret)
        ? [`Command ${number} has printed the token.`]
        : [],
    ),
  ];
}

/** Returns the state that an undo must restore: the rows without their timestamps. */
export function stateOf(service: Service): string[] {
  return service
    .rows('suppliers')
    .filter(({ deleted_at }) => deleted_at === null)
    .map(({ id, name, code, phone, email, contact_name }) =>
      JSON.stringify([id, name, code, phone, email, contact_name]),
    );
}
