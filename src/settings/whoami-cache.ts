/**
 * The scopes of a token as `whoami` gave them, kept for ten minutes, so that a command outside them is refused
 * before it is sent.
 */
import { hash } from 'node:crypto';
import type { Environment } from '../base/environment.ts';
import { openCacheFile } from './cache-file.ts';
import type { Secret } from './secret.ts';

export interface WhoamiCache {
  get(key: string): readonly string[] | undefined;
  put(key: string, scopes: readonly string[]): void;
}

const lifetime = 10 * 60_000;

/**
 * A key that gives nothing away about the token; the same token at another address is another key. A sandbox’s owner
 * has no token of the settings.
 */
export function whoamiKey(place: string, token: Secret | undefined): string {
  return hash('sha256', `${place}\n${token?.reveal() ?? ''}`, 'hex');
}

/** `now` gives milliseconds since 1970. */
export function openWhoamiCache(environment: Environment, now: () => number = Date.now): WhoamiCache {
  const file = openCacheFile(environment, 'whoami.json');

  function fresh(): Record<string, Entry> {
    const entries = Object.entries(file.read()).filter((entry): entry is [string, Entry] =>
      isEntry(entry[1]),
    );
    return Object.fromEntries(entries.filter(([, { at }]) => at <= now() && now() - at < lifetime));
  }

  function put(key: string, scopes: readonly string[]): void {
    file.write({ ...fresh(), [key]: { at: now(), scopes } });
  }

  return { get: (key) => fresh()[key]?.scopes, put };
}

interface Entry {
  at: number;
  scopes: readonly string[];
}

function isEntry(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { at, scopes } = value as Partial<Entry>;
  return (
    typeof at === 'number' && Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string')
  );
}
