/** What another program finds in a workbook: Python’s own library, which knows nothing of the one that wrote it. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface SeenCell {
  kind: 'text' | 'n' | 'b' | 'd' | 'e';
  value: string;
  format: string;
}

export interface SeenSheet {
  name: string;
  state: string;
  rows: (SeenCell | null)[][];
  frozen: string | null;
  widths: number[];
  /** By range. */
  choices: Record<string, string>;
}

const script = fileURLToPath(new URL('read-workbook.py', import.meta.url));

export function seenIn(file: string): SeenSheet[] {
  return seenInEach([file])[0] ?? [];
}

/** The same of many, in one go. */
export function seenInEach(files: readonly string[]): SeenSheet[][] {
  const options = { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 } as const;
  return JSON.parse(execFileSync('python3', [script, ...files], options)) as SeenSheet[][];
}
