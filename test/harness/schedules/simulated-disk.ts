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
    const asyncName = name.replace(/Sync$/, '');
    if (asyncName in promises)
      promises[asyncName] = async (...args: unknown[]) => (call as (...args: unknown[]) => unknown)(...args);
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
    const call = real[`${name}Sync` as keyof typeof real] as (...args: unknown[]) => unknown;
    promises[name] = async (...args: unknown[]) => call(...args);
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
  const pauseBefore = (operation: string, path: unknown): DiskFault | undefined =>
    isScheduled(path) ? beforeWrite(`${operation} ${path.slice(folder.length + 1)}`) : undefined;
  /** Sets the timestamps of a file to the time of the simulated machine. */
  const setTimes = (path: unknown) => {
    if (!isScheduled(path)) return;
    try {
      real.utimesSync(path, clock.wall / 1000, clock.wall / 1000);
    } catch {
      // The file may have been deleted.
    }
  };
  const onPath =
    <Args extends unknown[], Result>(operation: string, call: (path: PathLike, ...args: Args) => Result) =>
    (path: PathLike, ...args: Args): Result => {
      if (pauseBefore(operation, path)) throw diskFullError(operation, String(path));
      const result = call(path, ...args);
      setTimes(path);
      return result;
    };
  const onFile =
    (operation: string, call: typeof fs.writeFileSync) =>
    (path: fs.PathOrFileDescriptor, data: string | NodeJS.ArrayBufferView, options?: fs.WriteFileOptions) => {
      const fault = pauseBefore(operation, typeof path === 'number' ? names.get(path) : path);
      if (fault === 'short') {
        const bytes = Buffer.from(data as string);
        call(path, bytes.subarray(0, bytes.length / 2), options);
      }
      if (fault) throw diskFullError('write', String(path));
      call(path, data, options);
      setTimes(path);
    };
  return {
    writeFileSync: onFile('write', real.writeFileSync),
    appendFileSync: onFile('append', real.appendFileSync as typeof fs.writeFileSync),
    renameSync(from: string, to: string) {
      if (pauseBefore('rename', to)) throw diskFullError('rename', to);
      real.renameSync(from, to);
    },
    linkSync(from: string, to: string) {
      if (pauseBefore('link', to)) throw diskFullError('link', to);
      real.linkSync(from, to);
    },
    copyFileSync(from: string, to: string, mode?: number) {
      if (pauseBefore('copy', to)) throw diskFullError('copyfile', to);
      real.copyFileSync(from, to, mode);
      setTimes(to);
    },
    rmSync(path: string, options?: fs.RmOptions) {
      // Removing a missing file isn't a write.
      if (real.lstatSync(path, { throwIfNoEntry: false })) pauseBefore('remove', path);
      real.rmSync(path, options);
    },
    unlinkSync(path: string) {
      pauseBefore('remove', path);
      real.unlinkSync(path);
    },
    mkdirSync: onPath(
      'mkdir',
      real.mkdirSync as (path: PathLike, options?: fs.MakeDirectoryOptions) => undefined,
    ),
    openSync(path: PathLike, flags: fs.OpenMode = 'r', mode?: fs.Mode) {
      const writes = typeof flags === 'string' ? flags !== 'r' : (flags & 3) !== 0;
      if (writes && pauseBefore('open', path)) throw diskFullError('open', String(path));
      const descriptor = real.openSync(path, flags, mode);
      if (isScheduled(path)) names.set(descriptor, path);
      return descriptor;
    },
    closeSync(descriptor: number) {
      names.delete(descriptor);
      real.closeSync(descriptor);
    },
    writeSync(descriptor: number, data: string | NodeJS.ArrayBufferView, ...args: unknown[]): number {
      const path = names.get(descriptor);
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      const fault = pauseBefore('write', path);
      if (fault === 'full') throw diskFullError('write', path ?? '');
      const length = fault === 'short' ? Math.ceil(bytes.byteLength / 2) : undefined;
      if (length === undefined)
        return (real.writeSync as (...all: unknown[]) => number)(descriptor, bytes, ...args);
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
    let writtenBytes = 0;
    while (writtenBytes < bytes.length)
      writtenBytes += this.#files.writeSync(this.#descriptor, bytes.subarray(writtenBytes));
  }

  async write(data: Uint8Array): Promise<{ bytesWritten: number }> {
    return { bytesWritten: this.#files.writeSync(this.#descriptor, data) };
  }

  async read(buffer: Buffer, offset: number, length: number, position: number | null) {
    return { bytesRead: real.readSync(this.#descriptor, buffer, offset, length, position), buffer };
  }

  async readFile(options?: BufferEncoding): Promise<string | Buffer> {
    const bytes = real.readFileSync(this.#descriptor);
    return options === undefined ? bytes : bytes.toString(options);
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

  createReadStream(options: object = {}) {
    return real.createReadStream(this.#path, { ...options, fd: this.#descriptor });
  }
}

/** Returns a database class that waits for locks through the scheduler. SQLite would block the thread that must let the lock's holder continue. */
function scheduledDatabase({ folder, clock, beforeWrite, whileBusy }: DiskOptions): typeof DatabaseSync {
  return class extends DatabaseSync {
    readonly #label: string | undefined;
    readonly #busyTimeoutMs: number;
    #isWriting = false;

    constructor(path: string, options: { timeout?: number; readOnly?: boolean } = {}) {
      super(path, { ...options, timeout: 0 });
      const file = String(path)
        .replace(/^file:(\/\/)?/, '')
        .replace(/\?.*$/, '');
      this.#label = file.startsWith(folder + sep) ? file.slice(folder.length + 1) : undefined;
      this.#busyTimeoutMs = options.timeout ?? 0;
    }

    override exec(sql: string): void {
      this.#runScheduled(sql, () => super.exec(sql));
    }

    override prepare(sql: string): StatementSync {
      const statement = this.#retryWhileBusy(() => super.prepare(sql));
      for (const name of ['run', 'get', 'all'] as const) {
        const call = statement[name].bind(statement) as (...cells: unknown[]) => unknown;
        (statement as unknown as Record<string, unknown>)[name] = (...cells: unknown[]) =>
          this.#runScheduled(sql, () => call(...cells));
      }
      return statement;
    }

    #runScheduled<T>(sql: string, work: () => T): T {
      const keyword = /^\s*(\w+( IMMEDIATE| EXCLUSIVE)?)/i.exec(sql)?.[1]?.toUpperCase() ?? '';
      if (!this.#label || isRead.test(keyword)) return this.#retryWhileBusy(work);
      const isEnd = keyword === 'COMMIT';
      if (isEnd ? !this.#isWriting : this.isTransaction && keyword !== 'ROLLBACK')
        return this.#retryWhileBusy(work);
      const fault = keyword === 'ROLLBACK' ? undefined : beforeWrite(`sqlite ${keyword} ${this.#label}`);
      if (fault) throw databaseFullError();
      const result = this.#retryWhileBusy(work);
      this.#isWriting = this.isTransaction;
      return result;
    }

    /** Retries until the busy time-out of the connection, by the clock of the simulated machine. */
    #retryWhileBusy<T>(work: () => T): T {
      const deadlineMs = clock.steady + this.#busyTimeoutMs;
      for (;;) {
        try {
          return work();
        } catch (error) {
          const isBusy = error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5;
          if (!isBusy || !this.#label || clock.steady >= deadlineMs) throw error;
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
