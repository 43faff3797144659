/**
 * The scopes of a token as `whoami` gave them, kept for ten minutes, so that a command outside them is refused
 * before it is sent. A cache that can't be read or written is as good as an empty one.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './folders.ts';
import type { Environment } from './layers.ts';
import type { Secret } from './secret.ts';

export interface WhoamiCache {
  get(key: string): readonly string[] | undefined;
  put(key: string, scopes: readonly string[]): void;
}

const lifetime = 10 * 60_000;

/** A key that gives nothing away about the token; the same token at another address is another key. */
export function whoamiKey(place: string, token: Secret): string {
  return createHash('sha256').update(`${place}\n${token.reveal()}`).digest('hex');
}

/** `now` gives milliseconds since 1970. */
export function openWhoamiCache(environment: Environment, now: () => number = Date.now): WhoamiCache {
  const folder = cacheFolder(environment);
  const path = join(folder, 'whoami.json');

  function fresh(): Record<string, Entry> {
    const entries = Object.entries(readEntries(path));
    return Object.fromEntries(entries.filter(([, { at }]) => at <= now() && now() - at < lifetime));
  }

  function put(key: string, scopes: readonly string[]): void {
    const text = JSON.stringify({ ...fresh(), [key]: { at: now(), scopes } });
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      replaceFile(path, text);
    } catch {
      // The next command asks again.
    }
  }

  return { get: (key) => fresh()[key]?.scopes, put };
}

interface Entry {
  at: number;
  scopes: readonly string[];
}

/** The new file takes the old one's place when it is whole: another boh may be reading. */
function replaceFile(path: string, text: string): void {
  const next = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(next, text, { mode: 0o600, flag: 'wx' });
    renameSync(next, path);
  } finally {
    rmSync(next, { force: true });
  }
}

function readEntries(path: string): Record<string, Entry> {
  try {
    const entries = Object.entries(JSON.parse(readFileSync(path, 'utf8')));
    return Object.fromEntries(entries.filter((entry): entry is [string, Entry] => isEntry(entry[1])));
  } catch {
    return {};
  }
}

function isEntry(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { at, scopes } = value as Partial<Entry>;
  return (
    typeof at === 'number' && Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string')
  );
}
