/** Reads workbooks with the standard library of Python, independently of the library that wrote them. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface ReadCell {
  kind: 'text' | 'n' | 'b' | 'd' | 'e';
  value: string;
  format: string;
}

export interface ReadSheet {
  name: string;
  state: string;
  rows: (ReadCell | null)[][];
  frozen: string | null;
  widths: number[];
  /** By range. */
  choices: Record<string, string>;
}

const script = fileURLToPath(new URL('read-workbook.py', import.meta.url));

export function readWorkbook(file: string): ReadSheet[] {
  return readWorkbooks([file])[0] ?? [];
}

/** Reads several workbooks in one process. */
export function readWorkbooks(files: readonly string[]): ReadSheet[][] {
  const options = { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 } as const;
  return JSON.parse(execFileSync('python3', [script, ...files], options)) as ReadSheet[][];
}
