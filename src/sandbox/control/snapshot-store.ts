/** Stores the snapshots of a sandbox: those of files as files, those of sandboxes in memory in memory. */
import type { Environment } from '../../base/environment.ts';
import { Failure, usage } from '../../base/errors.ts';
import type { Sandbox } from '../service.ts';
import {
  contentOfSnapshot,
  deleteSnapshot,
  listSnapshots,
  restoreSnapshot,
  type Snapshot,
  saveSnapshot,
} from '../snapshots/snapshots.ts';
import { sandboxNamePattern } from '../store/sandbox-files.ts';

export interface SnapshotStore {
  list(): Snapshot[];
  /** Throws a usage failure if the snapshot exists, unless it should be replaced. */
  save(name: string, options: { isReplacing: boolean }): Promise<void>;
  /** Replaces the content of the sandbox, except its tokens. Throws `not_found` if the snapshot doesn't exist. */
  restore(name: string): Promise<void>;
  delete(name: string): void;
  /** Returns the content for a new sandbox. */
  contentOf(name: string): Promise<Uint8Array>;
}

/** Returns the snapshots in the folder of sandboxes, which all sandboxes share. */
export function fileSnapshots(
  sandbox: Sandbox,
  env: Environment,
  signal?: AbortSignal | undefined,
): SnapshotStore {
  const { api } = sandbox;
  const { file } = sandbox.database;
  return {
    list: () => listSnapshots(env),
    save: (name, { isReplacing }) => saveSnapshot(env, name, file, { isReplacing, signal }),
    restore: (name) => restoreSnapshot(env, name, file, api, { signal }),
    delete: (name) => deleteSnapshot(env, name),
    contentOf: (name) => contentOfSnapshot(env, name, api, { signal }),
  };
}

/** The maximum number of snapshots of a sandbox in memory. */
const maxSnapshots = 100;

/** Returns the snapshots of a sandbox in memory. They end with it. */
export function memorySnapshots(sandbox: Sandbox): SnapshotStore {
  const contents = new Map<string, { bytes: Uint8Array; savedAt: Date }>();
  const contentOf = (name: string) => {
    const content = contents.get(name);
    if (content) return content.bytes;
    throw new Failure('not_found', `Snapshot ${name} not found.`);
  };
  return {
    list: () =>
      [...contents]
        .map(([name, { bytes, savedAt }]) => ({ name, bytes: bytes.byteLength, savedAt }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    save: async (name, { isReplacing }) => {
      if (!sandboxNamePattern.test(name)) throw usage(`"${name}" isn't a valid name for a snapshot.`);
      if (!isReplacing && contents.has(name)) throw usage(`A snapshot named ${name} already exists.`);
      if (contents.size >= maxSnapshots && !contents.has(name))
        throw usage(`A sandbox in memory has at most ${maxSnapshots} snapshots.`);
      contents.set(name, { bytes: sandbox.save(), savedAt: new Date() });
    },
    restore: async (name) => sandbox.load(contentOf(name)),
    delete: (name) => {
      contentOf(name);
      contents.delete(name);
    },
    contentOf: async (name) => contentOf(name),
  };
}
