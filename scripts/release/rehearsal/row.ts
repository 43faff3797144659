/** One row of the rehearsal's table, and the table. */

/** The outcome of one check of an artifact. */
export type Outcome =
  | { state: 'ok'; what: string }
  | { state: 'failed'; what: string }
  /** Can't be tested on this machine: `what` is the reason. */
  | { state: 'not here'; what: string };

/** The results of an artifact. */
export interface Row {
  artifact: string;
  bytes: number;
  sha256: string;
  reproducible: Outcome;
  installed: Outcome;
  smoke: Outcome;
}

export const ok = (what: string): Outcome => ({ state: 'ok', what });
export const failed = (what: string): Outcome => ({ state: 'failed', what });
export const notHere = (what: string): Outcome => ({ state: 'not here', what });

/** Returns the outcome of a check: `ok` with the text that it returns, or `failed` with its error. */
export async function outcomeOf(check: () => string | Promise<string>): Promise<Outcome> {
  try {
    return ok(await check());
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

/** Characters of a hash that are shown. */
const shownHash = 12;

/** Returns the table: a line for each artifact, then the details of every cell. */
export function tableOf(rows: readonly Row[]): string {
  const columns = ['artifact', 'size', 'sha256', 'reproducible', 'installed', 'smoke-tested'];
  const cells = rows.map((row) => [
    row.artifact,
    sizeText(row.bytes),
    row.sha256.slice(0, shownHash),
    wordFor(row.reproducible),
    wordFor(row.installed),
    wordFor(row.smoke),
  ]);
  const widths = columns.map((title, at) =>
    Math.max(title.length, ...cells.map((line) => line[at]?.length ?? 0)),
  );
  const line = (words: readonly string[]) =>
    words
      .map((word, at) => word.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  const details = rows.flatMap(({ artifact, reproducible, installed, smoke }) => [
    artifact,
    ...Object.entries({ reproducible, installed, 'smoke-tested': smoke }).map(
      ([name, { state, what }]) => `  ${name}: ${state === 'ok' ? '' : `${state}: `}${what}`,
    ),
  ]);
  return [line(columns), ...cells.map(line), '', ...details].join('\n');
}

function wordFor({ state }: Outcome): string {
  return state === 'ok' ? 'yes' : state === 'failed' ? 'FAILED' : 'not here';
}

function sizeText(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
