/** The disk of a simulated process. The scheduler controls the order of writes, and whether the disk is full. */
import fs, { type PathLike } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { sep } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { DiskFault, MachineClock } from './baton.ts';

export interface DiskOptions {
  /** Only writes below this folder are scheduled. */
  folder: string;
  clock: MachineClock;
  /** Called before a write. Returns the fault, if any. */
  beforeWrite(label: string): DiskFault | undefined;
  /** Called when another process locks the file. It blocks until the next try. */
  whileBusy(label: string): void;
}

const require = createRequire(import.meta.url);
const real = { ...fs };

export function replaceDisk(options: DiskOptions): void {
  const promises = require('node:fs/promises');
  const scheduled = scheduledFiles(options);
  Object.assign(require('node:fs'), scheduled);
  for (const [name, call] of Object.entries(scheduled)) {
    const slow = name.replace(/Sync$/, '');
    if (slow in promises)
      promises[slow] = async (...given: unknown[]) => (call as (...given: unknown[]) => unknown)(...given);
  }
  // Node does not define the order in which pending calls end.
  for (const name of [
    'readFile',
    'stat',
    'lstat',
    'readdir',
    'realpath',
    'readlink',
    'access',
    'chmod',
    'mkdtemp',
  ]) {
    const call = real[`${name}Sync` as keyof typeof real] as (...given: unknown[]) => unknown;
    promises[name] = async (...given: unknown[]) => call(...given);
  }
  promises.open = async (path: string, flags: string | number = 'r', mode?: number) =>
    new FileOnDisk(path, scheduled.openSync(path, flags, mode), scheduled);
  require('node:sqlite').DatabaseSync = scheduledDatabase(options);
  syncBuiltinESMExports();
}

/** Returns Node's functions for writing, each with a stop before the write. */
function scheduledFiles({ folder, clock, beforeWrite }: DiskOptions) {
  const names = new Map<number, string>();
  const isScheduled = (path: unknown): path is string =>
    typeof path === 'string' && path.startsWith(folder + sep);
  const stop = (what: string, path: unknown): DiskFault | undefined =>
    isScheduled(path) ? beforeWrite(`${what} ${path.slice(folder.length + 1)}`) : undefined;
  /** Sets the timestamps of a file to the time of the simulated machine. */
  const date = (path: unknown) => {
    if (!isScheduled(path)) return;
    try {
      real.utimesSync(path, clock.wall / 1000, clock.wall / 1000);
    } catch {
      // The file may have been deleted.
    }
  };
  const onPath =
    <Given extends unknown[], Result>(what: string, call: (path: PathLike, ...given: Given) => Result) =>
    (path: PathLike, ...given: Given): Result => {
      if (stop(what, path)) throw diskFullError(what, String(path));
      const result = call(path, ...given);
      date(path);
      return result;
    };
  const onFile =
    (what: string, call: typeof fs.writeFileSync) =>
    (path: fs.PathOrFileDescriptor, data: string | NodeJS.ArrayBufferView, how?: fs.WriteFileOptions) => {
      const fault = stop(what, typeof path === 'number' ? names.get(path) : path);
      if (fault === 'short') {
        const bytes = Buffer.from(data as string);
        call(path, bytes.subarray(0, bytes.length / 2), how);
      }
      if (fault) throw diskFullError('write', String(path));
      call(path, data, how);
      date(path);
    };
  return {
    writeFileSync: onFile('write', real.writeFileSync),
    appendFileSync: onFile('append', real.appendFileSync as typeof fs.writeFileSync),
    renameSync(from: string, to: string) {
      if (stop('rename', to)) throw diskFullError('rename', to);
      real.renameSync(from, to);
    },
    linkSync(from: string, to: string) {
      if (stop('link', to)) throw diskFullError('link', to);
      real.linkSync(from, to);
    },
    copyFileSync(from: string, to: string, mode?: number) {
      if (stop('copy', to)) throw diskFullError('copyfile', to);
      real.copyFileSync(from, to, mode);
      date(to);
    },
    rmSync(path: string, how?: fs.RmOptions) {
      // Removing a missing file isn't a write.
      if (real.lstatSync(path, { throwIfNoEntry: false })) stop('remove', path);
      real.rmSync(path, how);
    },
    unlinkSync(path: string) {
      stop('remove', path);
      real.unlinkSync(path);
    },
    mkdirSync: onPath(
      'mkdir',
      real.mkdirSync as (path: PathLike, how?: fs.MakeDirectoryOptions) => undefined,
    ),
    openSync(path: PathLike, flags: fs.OpenMode = 'r', mode?: fs.Mode) {
      const writes = typeof flags === 'string' ? flags !== 'r' : (flags & 3) !== 0;
      if (writes && stop('open', path)) throw diskFullError('open', String(path));
      const descriptor = real.openSync(path, flags, mode);
      if (isScheduled(path)) names.set(descriptor, path);
      return descriptor;
    },
    closeSync(descriptor: number) {
      names.delete(descriptor);
      real.closeSync(descriptor);
    },
    writeSync(descriptor: number, data: string | NodeJS.ArrayBufferView, ...given: unknown[]): number {
      const path = names.get(descriptor);
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      const fault = stop('write', path);
      if (fault === 'full') throw diskFullError('write', path ?? '');
      const length = fault === 'short' ? Math.ceil(bytes.byteLength / 2) : undefined;
      if (length === undefined)
        return (real.writeSync as (...all: unknown[]) => number)(descriptor, bytes, ...given);
      return real.writeSync(descriptor, bytes, 0, length);
    },
  };
}

/** The part of a `node:fs/promises` file handle that boh uses. Its calls end in order. */
class FileOnDisk {
  readonly #path: string;
  readonly #descriptor: number;
  readonly #files: ReturnType<typeof scheduledFiles>;

  constructor(path: string, descriptor: number, files: ReturnType<typeof scheduledFiles>) {
    this.#path = path;
    this.#descriptor = descriptor;
    this.#files = files;
  }

  get fd(): number {
    return this.#descriptor;
  }

  async writeFile(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    let done = 0;
    while (done < bytes.length) done += this.#files.writeSync(this.#descriptor, bytes.subarray(done));
  }

  async write(data: Uint8Array): Promise<{ bytesWritten: number }> {
    return { bytesWritten: this.#files.writeSync(this.#descriptor, data) };
  }

  async read(buffer: Buffer, offset: number, length: number, position: number | null) {
    return { bytesRead: real.readSync(this.#descriptor, buffer, offset, length, position), buffer };
  }

  async readFile(how?: BufferEncoding): Promise<string | Buffer> {
    const bytes = real.readFileSync(this.#descriptor);
    return how === undefined ? bytes : bytes.toString(how);
  }

  async stat() {
    return real.fstatSync(this.#descriptor);
  }

  async chmod(mode: number) {
    real.fchmodSync(this.#descriptor, mode);
  }

  async sync() {}

  async datasync() {}

  async close() {
    this.#files.closeSync(this.#descriptor);
  }

  createReadStream(how: object = {}) {
    return real.createReadStream(this.#path, { ...how, fd: this.#descriptor });
  }
}

/** Returns a database class that waits for locks through the scheduler. SQLite would block the thread that must let the lock's holder continue. */
function scheduledDatabase({ folder, clock, beforeWrite, whileBusy }: DiskOptions): typeof DatabaseSync {
  return class extends DatabaseSync {
    readonly #label: string | undefined;
    readonly #wait: number;
    #isWriting = false;

    constructor(path: string, options: { timeout?: number; readOnly?: boolean } = {}) {
      super(path, { ...options, timeout: 0 });
      const plain = String(path)
        .replace(/^file:(\/\/)?/, '')
        .replace(/\?.*$/, '');
      this.#label = plain.startsWith(folder + sep) ? plain.slice(folder.length + 1) : undefined;
      this.#wait = options.timeout ?? 0;
    }

    override exec(sql: string): void {
      this.#scheduled(sql, () => super.exec(sql));
    }

    override prepare(sql: string): StatementSync {
      const statement = this.#retryWhileBusy(() => super.prepare(sql));
      for (const name of ['run', 'get', 'all'] as const) {
        const call = statement[name].bind(statement) as (...cells: unknown[]) => unknown;
        (statement as unknown as Record<string, unknown>)[name] = (...cells: unknown[]) =>
          this.#scheduled(sql, () => call(...cells));
      }
      return statement;
    }

    #scheduled<T>(sql: string, work: () => T): T {
      const word = /^\s*(\w+( IMMEDIATE| EXCLUSIVE)?)/i.exec(sql)?.[1]?.toUpperCase() ?? '';
      if (!this.#label || isRead.test(word)) return this.#retryWhileBusy(work);
      const isEnd = word === 'COMMIT';
      if (isEnd ? !this.#isWriting : this.isTransaction && word !== 'ROLLBACK')
        return this.#retryWhileBusy(work);
      const fault = word === 'ROLLBACK' ? undefined : beforeWrite(`sqlite ${word} ${this.#label}`);
      if (fault) throw databaseFullError();
      const result = this.#retryWhileBusy(work);
      this.#isWriting = this.isTransaction;
      return result;
    }

    /** Retries until the busy time-out of the connection, by the clock of the simulated machine. */
    #retryWhileBusy<T>(work: () => T): T {
      const until = clock.steady + this.#wait;
      for (;;) {
        try {
          return work();
        } catch (error) {
          const isBusy = error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5;
          if (!isBusy || !this.#label || clock.steady >= until) throw error;
          whileBusy(this.#label);
        }
      }
    }
  };
}

const isRead = /^(SELECT|WITH|PRAGMA|BEGIN|EXPLAIN|ATTACH|DETACH|)$/;

function diskFullError(syscall: string, path: string): Error {
  return Object.assign(new Error(`ENOSPC: no space left on device, ${syscall} '${path}'`), {
    code: 'ENOSPC',
    errno: -28,
    syscall,
    path,
  });
}

function databaseFullError(): Error {
  return Object.assign(new Error('database or disk is full'), {
    code: 'ERR_SQLITE_ERROR',
    errcode: 13,
    errstr: 'database or disk is full',
  });
}
