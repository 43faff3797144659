/** Reads the secrets of a resumed import from its file again, if it is the same file: no ledger contains them. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Api } from '../../contract/api.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { type SecretsOf, secretsFrom } from '../../runs/secrets.ts';
import { knownNames } from '../../tables/columns/columns.ts';
import { headerFor } from '../../tables/columns/header.ts';
import type { ImportOptions } from '../../tables/columns/options.ts';
import { openTable, type TableOptions } from '../../tables/open-table.ts';
import { openSource, type Source } from '../../tables/source.ts';
import { namesOfSecrets } from './read-row.ts';

type Reading = Pick<TableOptions, 'form' | 'encoding' | 'delimiter' | 'quote' | 'sheet'>;

/** Where the rows are, and how they are read. */
interface Kept {
  path: string;
  mark: string;
  reading: Reading;
  map: [string, string][];
  isReadOnlyIgnored: boolean;
  mode: ImportOptions['mode'];
}

const fact = 'secrets_in';

/** Records the file of an import whose rows have secrets. Piped input can't be read again. */
export function noteSecretsIn(
  ledger: Ledger,
  source: Source,
  mark: string,
  { reading, options }: { reading: Reading; options: ImportOptions },
): void {
  if (source.name === undefined || !ledger.hasSecretsToCome()) return;
  const { map, isReadOnlyIgnored, mode } = options;
  const kept: Kept = { path: source.path, mark, reading, map: [...map], isReadOnlyIgnored, mode };
  ledger.setFact(fact, kept);
}

/** Returns the fingerprint of a file's bytes. */
export async function fingerprintOfFile(source: Pick<Source, 'read'>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of source.read()) hash.update(chunk);
  return hash.digest('hex');
}

/**
 * Returns a reader of the secrets; undefined if no row needs one. Throws before anything is sent if the file is
 * missing or has changed.
 */
export async function secretsAgain(
  ledger: Ledger,
  api: Api,
): Promise<{ secretsOf: SecretsOf; close(): Promise<void> } | undefined> {
  const resource = api.resource(String(ledger.fact('resource')));
  if (!ledger.hasSecretsToCome(resource && [...namesOfSecrets(resource)])) return undefined;
  const kept = ledger.fact(fact) as Kept | undefined;
  if (!kept || !resource) throw gone(ledger, 'the rows came through a pipe');
  const source = await openSource(kept.path, { stdin: Readable.from([]) }).catch((error: unknown) => {
    throw error instanceof Failure ? gone(ledger, `${kept.path} can't be read`) : error;
  });
  try {
    if ((await fingerprintOfFile(source)) !== kept.mark) throw gone(ledger, `${kept.path} has changed since`);
    const usual = { known: knownNames(resource), usualSheet: resource.command, hasFlags: true };
    const table = await openTable(source, { ...usual, ...kept.reading });
    const options = { ...kept, map: new Map(kept.map) };
    const secretsOf = secretsFrom(table, headerFor(resource, options, table.columns).columnFor);
    return { secretsOf, close: () => source.close() };
  } catch (error) {
    await source.close();
    throw error;
  }
}

function gone(ledger: Ledger, why: string) {
  return usage(
    `Rows of this run need passwords or PINs, which ledgers don't store, but ${why}. Nothing was sent.`,
    {
      hint: boh.hint`Restore the file, or import the remaining rows with --key. To see them: ${boh.account('runs show', String(ledger.fact('name')))}`,
    },
  );
}
