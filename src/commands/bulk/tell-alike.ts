/** Said before anything is sent: which rows add a record whose key is nearly that of another one. */
import { type AlikeKey, alikeKeysIn } from '../../bulk/plan/alike-keys.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { note } from '../../terminal/messages.ts';
import type { Streams } from '../../terminal/streams.ts';

export function tellAlike(ledger: Ledger, streams: Streams): void {
  const alike = alikeKeysIn(ledger);
  if (alike.length === 0) return;
  note(
    streams,
    'Keys that differ only in case, marks, forms of Arabic letters, scripts of digits or the way to write a phone number are different ones, unless the service takes them for one:',
  );
  for (const { line, key, other } of alike)
    note(streams, cleanLine(`  line ${line}: ${key}; ${told(other)}`));
}

function told(other: AlikeKey['other']): string {
  return 'id' in other ? `${other.id} is ${other.key}` : `line ${other.line}: ${other.key}`;
}
