/** Builds the table of the rehearsal. */

/** The outcome of one check of an artifact. */
export type Outcome =
  | { state: 'ok'; details: string }
  | { state: 'failed'; details: string }
  /** This machine can't run the check: `details` is the reason. */
  | { state: 'skipped'; details: string };

/** The results of an artifact, a row of the table. */
export interface ArtifactResult {
  artifact: string;
  bytes: number;
  sha256: string;
  reproducible: Outcome;
  installed: Outcome;
  smoke: Outcome;
}

/** Returns the outcome of a successful check. */
export const ok = (details: string): Outcome => ({ state: 'ok', details });
/** Returns the outcome of a failed check. */
export const failed = (details: string): Outcome => ({ state: 'failed', details });
/** Returns the outcome of a check that this machine can't run. */
export const skipped = (details: string): Outcome => ({ state: 'skipped', details });

/** Returns the outcome of a check: `ok` with the text that it returns, or `failed` with its error. */
export async function outcomeOf(check: () => string | Promise<string>): Promise<Outcome> {
  try {
    return ok(await check());
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

/** The number of characters of a hash in the table. */
const displayedHashLength = 12;

/** Returns the table with a line for each artifact, followed by the details of every outcome. */
export function formatReport(rows: readonly ArtifactResult[]): string {
  const columns = ['artifact', 'size', 'sha256', 'reproducible', 'installed', 'smoke-tested'];
  const cells = rows.map((row) => [
    row.artifact,
    formatSize(row.bytes),
    row.sha256.slice(0, displayedHashLength),
    formatState(row.reproducible),
    formatState(row.installed),
    formatState(row.smoke),
  ]);
  const widths = columns.map((title, index) =>
    Math.max(title.length, ...cells.map((row) => row[index]?.length ?? 0)),
  );
  const formatLine = (row: readonly string[]) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  const details = rows.flatMap(({ artifact, reproducible, installed, smoke }) => [
    artifact,
    ...Object.entries({ reproducible, installed, 'smoke-tested': smoke }).map(
      ([name, outcome]) =>
        `  ${name}: ${outcome.state === 'ok' ? '' : `${outcome.state}: `}${outcome.details}`,
    ),
  ]);
  return [formatLine(columns), ...cells.map(formatLine), '', ...details].join('\n');
}

function formatState({ state }: Outcome): string {
  return state === 'ok' ? 'yes' : state === 'failed' ? 'FAILED' : 'skipped';
}

function formatSize(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
