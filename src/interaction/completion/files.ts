/** Names of files as candidates. */
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { behind, type Source } from './candidate.ts';

const most = 500;

/** What is in the folder that is typed so far; hidden files only once a dot is typed. */
export const fileNames: Source = (typed) => {
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1);
  const begun = typed.slice(folder.length);
  const place = folder.startsWith('~/') ? join(homedir(), folder.slice(2)) : folder || '.';
  const entries = readdirSync(place, { withFileTypes: true })
    .filter(({ name }) => name.startsWith(begun) && (begun !== '' || !name.startsWith('.')))
    .slice(0, most);
  return entries.map((entry) => ({ value: `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}` }));
};

/** `--data @FILE`. */
export const dataFiles: Source = async (typed) =>
  typed.startsWith('@')
    ? behind('@', await fileNames(typed.slice(1)))
    : [
        { value: '@', about: 'a file' },
        { value: '-', about: 'standard input' },
      ];
