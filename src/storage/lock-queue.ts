/**
 * Named locks between processes, granted in the order of requests. The system releases the locks of a process that
 * exits.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { replaceFileSync } from '../base/replace-file.ts';
import { type FileDescription, isBusy, toStorageError } from './failures.ts';
import { FairQueue } from './fair-queue.ts';
import { type FileLock, lockFile, lockFileSuffix } from './file-lock.ts';

/** The process that has or had a lock. */
export interface LockHolder {
  pid: number;
  /** The time of its request, in milliseconds since 1970. */
  since: number;
  /** The command that it runs: `customers import`. */
  command: string;
  /** The path of its ledger, if it has one. */
  ledger?: string | undefined;
  /** The fingerprint of its rows, which is the same in two runs of the same rows. */
  rows?: string | undefined;
}

interface Ticket extends LockHolder {
  number: number;
  names: readonly string[];
}

/** A request for locks. */
export interface LockRequest {
  /** The folder with the tickets of all processes; created if missing. */
  folder: string;
  /** The names to lock. All are locked together, so that deadlocks can't occur. */
  names: readonly string[];
  holder: Pick<LockHolder, 'command' | 'ledger' | 'rows'>;
  /** Ends the wait with its reason. */
  signal: AbortSignal;
  /** Called once for each process that is waited for, with its names; may throw to cancel. */
  onWait(holder: LockHolder, names: readonly string[]): void;
  /** Returns how long the service may still apply requests of a terminated process, in milliseconds; then its lock is free. */
  graceMs(holder: LockHolder): number;
  /** Called before the wait for requests of a terminated process. */
  onGracePeriod(holder: LockHolder): void;
}

/** The acquired locks. */
export interface Locks {
  /** The processes that were waited for. */
  waitedFor: readonly LockHolder[];
  /** Records the path of the ledger, from which the next process sees what this process sent. */
  recordLedger(file: string): void;
  /** Releases the locks. With `hasPendingRequests`, the next process first waits for the grace period. */
  release(options?: { hasPendingRequests: boolean }): void;
}

/** The delay between two checks of another process's lock, in milliseconds. */
const checkDelayMs = 100;

const gateQueue = new FairQueue();

/**
 * Acquires the locks after earlier requests for any of the names. Throws errors of `onWait` and the reason of the
 * signal.
 */
export async function acquireLocks(request: LockRequest): Promise<Locks> {
  const { signal } = request;
  const {
    ticket: ownTicket,
    earlierTickets,
    lock,
  } = await gateQueue.enqueue(() => enqueue(request), { signal });
  let isReleased = false;
  const release: Locks['release'] = ({ hasPendingRequests } = { hasPendingRequests: false }) => {
    if (isReleased) return;
    isReleased = true;
    if (hasPendingRequests) lock.release();
    else deleteTicket(request.folder, ownTicket.number, lock);
  };
  const waitedFor: LockHolder[] = [];
  try {
    for (const ticket of earlierTickets) if (await waitFor(ticket, request)) waitedFor.push(ticket);
  } catch (error) {
    release();
    throw error;
  }
  return {
    waitedFor,
    release,
    recordLedger: (ledger) => writeTicket(request.folder, { ...ownTicket, ledger }),
  };
}

/** Adds a ticket with the next number under the gate lock. Tickets are served in the order of their numbers. */
function enqueue({ folder, names, holder }: LockRequest): {
  ticket: Ticket;
  earlierTickets: Ticket[];
  lock: FileLock;
} {
  const gate = lockFile(describeLockFile(folder, 'gate'));
  try {
    const tickets = readTickets(folder);
    const number = Math.max(0, ...tickets.map((ticket) => ticket.number)) + 1;
    const ticket = { number, pid: process.pid, since: Date.now(), ...holder, names };
    const earlierTickets = tickets.filter((other) => sharedNames(other, ticket).length > 0);
    const lock = lockFile(describeLockFile(folder, String(number)));
    try {
      writeTicket(folder, ticket);
    } catch (error) {
      lock.clear();
      throw error;
    }
    return { ticket, earlierTickets, lock };
  } finally {
    gate.release();
  }
}

/** Waits until a ticket is released. Returns false if it was released before. */
async function waitFor(ticket: Ticket, request: LockRequest): Promise<boolean> {
  const { folder, names, signal, onWait, graceMs, onGracePeriod } = request;
  for (let checks = 0; ; checks++) {
    signal.throwIfAborted();
    if (!existsSync(ticketFile(folder, ticket.number))) return checks > 0;
    const lock = tryLock(describeLockFile(folder, String(ticket.number)));
    if (lock) {
      // Its process has exited, unless it has just released the lock.
      const lastTicket = readTicket(folder, ticket.number);
      const ms = lastTicket ? graceMs(lastTicket) : 0;
      try {
        if (lastTicket && ms > 0) onGracePeriod(lastTicket);
        if (ms > 0) await delay(ms, signal);
      } catch (error) {
        lock.release();
        throw error;
      }
      deleteTicket(folder, ticket.number, lock);
      return checks > 0;
    }
    if (checks === 0) onWait(ticket, sharedNames(ticket, { names }));
    await delay(checkDelayMs, signal);
  }
}

async function delay(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

function sharedNames(ticket: Pick<Ticket, 'names'>, other: Pick<Ticket, 'names'>): string[] {
  return ticket.names.filter((name) => other.names.includes(name));
}

function tryLock(description: FileDescription): FileLock | undefined {
  try {
    return lockFile(description);
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** Deletes a ticket and its lock file. The ticket goes first, because other processes wait only for tickets. */
function deleteTicket(folder: string, number: number, lock: FileLock): void {
  rmSync(ticketFile(folder, number), { force: true });
  lock.clear();
}

/** Returns the tickets in the order of requests. */
function readTickets(folder: string): Ticket[] {
  const numbers = readdirSync(folder).flatMap((name) => Number(/^(\d+)\.json$/.exec(name)?.[1] ?? []));
  return numbers.sort((a, b) => a - b).flatMap((number) => readTicket(folder, number) ?? []);
}

/** Returns a ticket; undefined if it was released or isn't valid. */
function readTicket(folder: string, number: number): Ticket | undefined {
  try {
    const ticket = JSON.parse(readFileSync(ticketFile(folder, number), 'utf8'));
    return Array.isArray(ticket.names) ? { ...ticket, number } : undefined;
  } catch {
    return undefined;
  }
}

function writeTicket(folder: string, { number, ...ticket }: Ticket): void {
  try {
    replaceFileSync(ticketFile(folder, number), JSON.stringify(ticket));
  } catch (error) {
    throw toStorageError(error, describeLockFile(folder, String(number)));
  }
}

function ticketFile(folder: string, number: number): string {
  return join(folder, `${number}.json`);
}

function describeLockFile(folder: string, name: string): FileDescription {
  const file = join(folder, name);
  return {
    file,
    label: 'The lock',
    remedy: `If no other boh process is running, delete ${file}${lockFileSuffix}.`,
  };
}
