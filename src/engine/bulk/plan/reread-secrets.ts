/** Reads the secrets of a resumed import again from its file, because the ledger doesn't contain them. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Api } from '../../../api/contract/api.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { type ReadSecrets, secretsReader } from '../../runs/secrets-reader.ts';
import { normalizeColumnName } from '../../tables/columns/columns.ts';
import { matchHeader } from '../../tables/columns/match-header.ts';
import type { ImportOptions } from '../../tables/columns/options.ts';
import { type InputFile, openInputFile } from '../../tables/input-file.ts';
import { openTable, type TableOptions } from '../../tables/open-table.ts';
import type { IsIgnored } from '../../tables/table.ts';

type ReadOptions = Pick<TableOptions, 'format' | 'encoding' | 'delimiter' | 'quote' | 'sheet' | 'headerRow'>;

/** The file of an import and the options for reading it, as the ledger stores them. */
interface SecretsFile {
  path: string;
  /** The fingerprint of the file's bytes. */
  mark: string;
  reading: ReadOptions;
  columns?: readonly string[] | undefined;
  map: [string, string][];
  isOnlyMapped?: boolean | undefined;
  isReadOnlyIgnored: boolean;
  mode: ImportOptions['mode'];
}

const secretsFileProperty = 'secrets_in';

/** Stores the file of an import whose rows contain secrets in the ledger. Piped input isn't stored: it can't be read again. */
export function recordSecretsFile(
  ledger: Ledger,
  source: InputFile,
  fingerprint: string,
  { reading, columns, options }: Pick<SecretsFile, 'reading' | 'columns'> & { options: ImportOptions },
): void {
  if (source.name === undefined || !ledger.needsSecrets()) return;
  const { map, isOnlyMapped, isReadOnlyIgnored, mode } = options;
  const stored: SecretsFile = {
    path: source.path,
    mark: fingerprint,
    reading,
    columns,
    map: [...map],
    isOnlyMapped,
    isReadOnlyIgnored,
    mode,
  };
  ledger.setProperty(secretsFileProperty, stored);
}

export async function fingerprintOfFile(source: Pick<InputFile, 'read'>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of source.read()) hash.update(chunk);
  return hash.digest('hex');
}

/**
 * Returns a reader of the secrets; undefined if no row needs one. Throws before anything is sent if the file is
 * missing or has changed.
 */
export async function rereadSecrets(
  ledger: Ledger,
  api: Api,
): Promise<{ secretsOf: ReadSecrets; close(): Promise<void> } | undefined> {
  const resource = api.resource(String(ledger.property('resource')));
  if (!ledger.needsSecrets()) return undefined;
  const stored = ledger.property(secretsFileProperty) as SecretsFile | undefined;
  if (!stored || !resource) throw unreadableSecrets(ledger, 'the rows were piped');
  const source = await openInputFile(stored.path, { stdin: Readable.from([]) }).catch((error: unknown) => {
    throw error instanceof Failure ? unreadableSecrets(ledger, `${stored.path} can't be read`) : error;
  });
  try {
    if ((await fingerprintOfFile(source)) !== stored.mark)
      throw unreadableSecrets(ledger, `${stored.path} has changed since`);
    const headerNames = new Set(stored.columns?.map(normalizeColumnName));
    const defaults = { headerNames, defaultSheet: resource.command, hasFlags: true };
    const options = { ...stored, map: new Map(stored.map) };
    const isIgnored: IsIgnored = (name) => options.map.get(name) === '';
    const table = await openTable(source, { ...defaults, ...stored.reading, isIgnored });
    const secretsOf = secretsReader(table, matchHeader(resource, options, table.columns).columnFor);
    return { secretsOf, close: () => source.close() };
  } catch (error) {
    await source.close();
    throw error;
  }
}

function unreadableSecrets(ledger: Ledger, reason: string) {
  return usage(
    `This run needs passwords or PINs from its input, but ${reason}. Ledgers don't store secrets. Nothing was sent.`,
    {
      hint: boh.hint`Restore the file, or import the remaining rows with --key. To show them: ${boh.account('runs show', String(ledger.property('name')))}`,
    },
  );
}
