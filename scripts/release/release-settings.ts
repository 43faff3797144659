/** Reads the settings of a release: its version, its time, and the owner's names and URLs in release.json. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import owner from '../../release.json' with { type: 'json' };
import { root } from '../root.ts';

/** The name of a value in release.json, such as `homepage`. */
export type ReleaseSetting = keyof typeof owner;

/** The prefix of values in release.json that the owner has not set. */
export const placeholder = 'TO-BE-SET';

/** Returns the version in package.json. */
export function releaseVersion(): string {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

/** Returns a value of release.json; undefined if the owner has not set it. */
export function releaseSetting(name: ReleaseSetting): string | undefined {
  const value = owner[name];
  return value.startsWith(placeholder) ? undefined : value;
}

/** Returns a line for each value of release.json that the owner has not set. */
export function placeholders(settings: Readonly<Record<string, string>> = owner): string[] {
  return Object.entries(settings).flatMap(([name, value]) =>
    value.startsWith(placeholder) ? [`${name}: ${value.slice(placeholder.length).replace(/^: /, '')}`] : [],
  );
}

/** Returns the time of the release in seconds since 1970: SOURCE_DATE_EPOCH, or the time of the last commit. */
export function sourceDateEpoch(): number {
  const epoch = process.env.SOURCE_DATE_EPOCH;
  if (epoch !== undefined) return Number(epoch);
  return Number(execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }));
}
