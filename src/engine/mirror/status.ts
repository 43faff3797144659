/** Reports the status of a mirror: for each resource its rows, their age and the last error. */
import { parseFilterTime } from '../../api/contract/date-time.ts';
import type { MirroredResource } from './schema/derive.ts';
import { historyTable } from './schema/history-tables.ts';
import { countRows } from './stores/reads.ts';
import type { Reader } from './stores/store.ts';
import { readStates, stateFor } from './sync/states.ts';

/** The status of one resource, as `boh mirror status` prints it. */
export interface ResourceStatus {
  resource: string;
  /** The number of rows in the table, including deleted records. */
  rows: number;
  /** Seconds since the start of the last completed sync; null if none has completed. */
  age: number | null;
  last_error: string | null;
  /** Start of the last completed sync (UTC); null if none has completed. */
  synced_at: string | null;
}

/** Returns the status of each resource, and of the history, if it is requested and the mirror includes it. */
export async function readMirrorStatus(
  reader: Pick<Reader, 'read'>,
  resources: readonly MirroredResource[],
  now: Date,
  isHistoryRequested: boolean,
): Promise<ResourceStatus[]> {
  const states = await readStates(reader);
  const statuses: ResourceStatus[] = [];
  const names = resources.map(({ main }) => main.name);
  // A mirror that doesn't include the history has no state for it.
  if (isHistoryRequested && states.has(historyTable.name)) names.push(historyTable.name);
  for (const name of names) {
    const { syncedAt, lastError = null } = stateFor(states, name);
    const rows = states.has(name) ? await countRows(reader, { name }) : 0;
    statuses.push({
      ...{ resource: name, rows, age: ageInSeconds(syncedAt, now) },
      ...{ last_error: lastError, synced_at: syncedAt ?? null },
    });
  }
  return statuses;
}

/** Returns the age of a sync in seconds, at least 0 because clocks may differ; null if there was no sync. */
export function ageInSeconds(syncedAt: string | undefined, now: Date): number | null {
  const syncTime = syncedAt === undefined ? undefined : parseFilterTime(syncedAt, now);
  return syncTime ? Math.max(0, Math.round((now.getTime() - syncTime.getTime()) / 1000)) : null;
}

/** A metric of each resource for Prometheus; null if a resource has no value. */
interface Metric {
  name: string;
  help: string;
  value(status: ResourceStatus): number | null;
}

const metrics: readonly Metric[] = [
  {
    name: 'boh_mirror_last_success_timestamp_seconds',
    help: 'Start of the last completed sync of the list.',
    value: ({ synced_at: at }) => (at === null ? null : Date.parse(`${at.replace(' ', 'T')}Z`) / 1000),
  },
  {
    name: 'boh_mirror_lag_seconds',
    help: 'Age of the rows when this file was written.',
    value: ({ age }) => age,
  },
  { name: 'boh_mirror_rows', help: 'Rows in the table, with deleted records.', value: ({ rows }) => rows },
  {
    name: 'boh_mirror_failed',
    help: 'Whether the last sync of the list failed.',
    value: ({ last_error: error }) => (error === null ? 0 : 1),
  },
];

/** Returns the status of each resource in the text format of Prometheus. */
export function formatMetrics(statuses: readonly ResourceStatus[]): string {
  const lines = metrics.flatMap(({ name, help, value }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    ...statuses.flatMap((status) => {
      const number = value(status);
      return number === null ? [] : [`${name}{resource="${status.resource}"} ${number}`];
    }),
  ]);
  return `${lines.join('\n')}\n`;
}
