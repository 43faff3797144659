/** Named locks between processes, granted in the order of requests, several names at once. The system releases those of a process that dies. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { asOwnerOf } from '../base/as-owner.ts';
import { isBusy, type Naming, storageError } from './failures.ts';
import { FairQueue } from './fair-queue.ts';
import { type FileLock, lockFile, lockFileSuffix } from './file-lock.ts';

/** The process that has or had a lock, as it described itself. */
export interface LockHolder {
  pid: number;
  /** The time of its request, in milliseconds since 1970. */
  since: number;
  /** The command that it runs: `customers import`. */
  command: string;
  /** The file of its ledger, if it has one. */
  ledger?: string | undefined;
  /** The fingerprint of its rows, which is the same in two runs of the same rows. */
  rows?: string | undefined;
}

interface Ticket extends LockHolder {
  number: number;
  names: readonly string[];
}

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
  /** How long requests of a dead process may still be carried out, in milliseconds; then its lock is free. */
  settleMs(holder: LockHolder): number;
  onSettle(holder: LockHolder): void;
}

export interface Locks {
  /** The processes that were waited for. */
  waitedFor: readonly LockHolder[];
  /** Records the ledger that shows what this process sent, in case it dies. */
  noteLedger(file: string): void;
  /** Releases the lock. `isUnsettled`: requests may still be carried out, so the next process waits until they can't be. */
  release(how?: { isUnsettled: boolean }): void;
}

/** The delay between two checks of another process's lock, in milliseconds. */
const pauseMs = 100;

const turns = new FairQueue();

/** Waits for earlier requests of any of the names. Throws what `onWait` throws, and the reason of the signal. */
export async function takeLocks(request: LockRequest): Promise<Locks> {
  const { signal } = request;
  const { own, earlier, held: lock } = await turns.enqueue(() => enqueue(request), { signal });
  const release: Locks['release'] = ({ isUnsettled } = { isUnsettled: false }) => {
    if (isUnsettled) lock.release();
    else remove(request.folder, own.number, lock);
  };
  const waitedFor: LockHolder[] = [];
  try {
    for (const ticket of earlier) if (await waitFor(ticket, request)) waitedFor.push(ticket);
  } catch (error) {
    release();
    throw error;
  }
  return {
    waitedFor,
    release: once(release),
    noteLedger: (ledger) => writeTicket(request.folder, { ...own, ledger }),
  };
}

function once(release: Locks['release']): Locks['release'] {
  let isReleased = false;
  return (how) => {
    if (!isReleased) release(how);
    isReleased = true;
  };
}

/** Draws a number under a lock; the numbers are the order of requests. */
function enqueue({ folder, names, holder }: LockRequest): { own: Ticket; earlier: Ticket[]; held: FileLock } {
  const gate = lockFile(namingOf(folder, 'gate'));
  try {
    const tickets = readTickets(folder);
    const number = Math.max(0, ...tickets.map((ticket) => ticket.number)) + 1;
    const own = { number, pid: process.pid, since: Date.now(), ...holder, names };
    const earlier = tickets.filter((ticket) => shared(ticket, own).length > 0);
    const lock = lockFile(namingOf(folder, String(number)));
    try {
      writeTicket(folder, own);
    } catch (error) {
      lock.clear();
      throw error;
    }
    return { own, earlier, held: lock };
  } finally {
    gate.release();
  }
}

/** Waits for a ticket. Returns whether it existed. */
async function waitFor(ticket: Ticket, request: LockRequest): Promise<boolean> {
  const { folder, names, signal, onWait, settleMs, onSettle } = request;
  for (let looks = 0; ; looks++) {
    signal.throwIfAborted();
    if (!existsSync(ticketFile(folder, ticket.number))) return looks > 0;
    const lock = lockIfFree(namingOf(folder, String(ticket.number)));
    if (lock) {
      // Its process has died, unless it has just released the lock.
      const left = readTicket(folder, ticket.number);
      const ms = left ? settleMs(left) : 0;
      try {
        if (left && ms > 0) onSettle(left);
        if (ms > 0) await pause(ms, signal);
      } catch (error) {
        lock.release();
        throw error;
      }
      remove(folder, ticket.number, lock);
      return looks > 0;
    }
    if (looks === 0) onWait(ticket, shared(ticket, { names }));
    await pause(pauseMs, signal);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

function shared(ticket: Pick<Ticket, 'names'>, other: Pick<Ticket, 'names'>): string[] {
  return ticket.names.filter((name) => other.names.includes(name));
}

function lockIfFree(naming: Naming): FileLock | undefined {
  try {
    return lockFile(naming);
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** Deletes the ticket first, because other processes wait only for tickets. */
function remove(folder: string, number: number, lock: FileLock): void {
  asOwnerOf(folder, () => rmSync(ticketFile(folder, number), { force: true }));
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
  const file = ticketFile(folder, number);
  try {
    asOwnerOf(folder, () => {
      writeFileSync(`${file}.new`, JSON.stringify(ticket), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    });
  } catch (error) {
    try {
      rmSync(`${file}.new`, { force: true });
    } catch {
      // The folder isn't writable either.
    }
    throw storageError(error, namingOf(folder, String(number)));
  }
}

function ticketFile(folder: string, number: number): string {
  return join(folder, `${number}.json`);
}

function namingOf(folder: string, name: string): Naming {
  const file = join(folder, name);
  return { file, label: 'The lock', remedy: `If no boh is running, delete ${file}${lockFileSuffix}.` };
}
