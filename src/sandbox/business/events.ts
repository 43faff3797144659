/** Records notification events for the users who subscribed to them (API document: "Events"). */
import type { Api } from '../../api/contract/api.ts';
import type { NotificationType } from '../../api/resources/notification-types.ts';
import type { Database, StoredRow } from '../../base/storage/database.ts';
import { parseJsonCell } from '../../base/storage/json-cell.ts';
import { formatTimestamp } from '../calendar.ts';
import type { Context } from '../context.ts';
import { isArrayOf, isObject, isString } from '../store/rows.ts';

/** The record that an event is about. */
export interface EventSubject {
  resource: string;
  id: string;
}

export interface NotificationEvent {
  /** Increases with each event. To read new events, pass the sequence of the last event that you have read. */
  sequence: number;
  /** The time of the event in UTC, `YYYY-MM-DD HH:MM:SS`. */
  at: string;
  type: NotificationType;
  branch: { id: string; name: string };
  subject: EventSubject;
  users: { id: string; name: string }[];
}

/** Records an event. Does nothing if no one has subscribed to it. */
export function notify(
  context: Context,
  type: NotificationType,
  branchId: string,
  subject: EventSubject,
): void {
  const { database, now } = context;
  const users = subscribers(database, type, branchId);
  if (users.length === 0) return;
  database.run(
    'INSERT INTO sandbox_events (at, type, branch_id, resource, record_id, users) VALUES (?, ?, ?, ?, ?, ?)',
    formatTimestamp(now),
    type,
    branchId,
    subject.resource,
    subject.id,
    JSON.stringify(users),
  );
}

export function hasEvent(
  database: Database,
  type: NotificationType,
  branchId: string,
  { resource, id }: EventSubject,
): boolean {
  const sql =
    'SELECT 1 FROM sandbox_events WHERE record_id = ? AND type = ? AND branch_id = ? AND resource = ?';
  return database.get(sql, id, type, branchId, resource) !== undefined;
}

/** Returns the sequence number of the newest event; 0 if there is none. */
export function newestSequence(database: Database): number {
  return Number(database.get('SELECT max(seq) AS seq FROM sandbox_events')?.seq ?? 0);
}

/** Returns the events after a sequence number, oldest first. */
export function eventsSince(database: Database, sequence: number, limit: number): NotificationEvent[] {
  const rows = database.all(
    `SELECT e.*, b.name AS branch_name FROM sandbox_events e LEFT JOIN branches b ON b.id = e.branch_id
     WHERE e.seq > ? ORDER BY e.seq LIMIT ?`,
    sequence,
    limit,
  );
  return rows.map((row) => eventOf(database, row));
}

const areUsers = isArrayOf(
  (user): user is NotificationEvent['users'][number] =>
    isObject(user) && isString(user.id) && isString(user.name),
);

function eventOf(database: Database, row: StoredRow): NotificationEvent {
  return {
    sequence: Number(row.seq),
    at: String(row.at),
    type: row.type as NotificationType,
    branch: { id: String(row.branch_id), name: String(row.branch_name ?? '') },
    subject: { resource: String(row.resource), id: String(row.record_id) },
    users: parseJsonCell(row.users, database, areUsers),
  };
}

/**
 * Returns the active users who subscribed to the type and belong to the branch; the owner belongs to all branches.
 * Warehouses have no subscribers, because users belong to branches only.
 */
function subscribers(
  database: Database,
  type: NotificationType,
  branchId: string,
): NotificationEvent['users'] {
  const rows = database.all(
    `SELECT u.id, u.name FROM users u JOIN branches b ON b.id = ?
     WHERE u.deleted_at IS NULL AND u.notifications <> '[]'
       AND EXISTS (SELECT 1 FROM json_each(u.notifications) WHERE value = ?)
       AND (u.is_owner = 1 OR EXISTS (SELECT 1 FROM users_branches WHERE from_id = u.id AND to_id = b.id))
     ORDER BY u.seq`,
    branchId,
    type,
  );
  return rows.map(({ id, name }) => ({ id: String(id), name: String(name) }));
}

/** Returns the types of events that users can subscribe to. */
export function eventTypes(api: Api): readonly string[] {
  return api.resource('users')?.fields.notifications?.traits.allowed ?? [];
}
