/** Verifies that a journal is unchanged: every link of its chain, and all content that wasn't forgotten. */

import { isRow } from '../../session/row.ts';
import type { Cell, Database } from '../../storage/database.ts';
import { digestOf, linkAfter, rootHash } from '../journal/chain.ts';
import { Head } from '../journal/head.ts';
import type { Journal } from '../journal/journal.ts';
import { describeLoss } from '../journal/loss.ts';
import { enteredUpTo, follows, type LastQueuePosition, nextAfter, rowsIn } from '../journal/queued.ts';
import { isLinkList } from '../journal/stored-entry.ts';
import { type Link, linksOf, nameOf, sealOf } from './links.ts';
import { lossInMark } from './note-loss.ts';

/** The outcome of a verification. */
export interface Verification {
  /** Whether no problem was found. */
  intact: boolean;
  /** The number of writes that were checked. */
  entries: number;
  links: number;
  /** The end of the chain as `LINKS:HASH`. Keep a copy elsewhere: it later proves that no earlier link was changed. */
  head: string;
  /** The number of forgotten entries: the chain proves that they existed, not what they contained. */
  forgotten: number;
  /** The number of links at the beginning that were deleted because of their age. */
  dropped: number;
  /** Messages about recorded losses, oldest first. */
  lost: string[];
  problems: string[];
}

/** The maximum number of listed problems. */
const maxProblems = 50;

/** A position in the chain, with the hash of its link. */
interface ChainPosition {
  seq: number;
  hash: string;
}

/**
 * Verifies a snapshot of a journal; other processes may read and write. `expectedHead` is a head that was recorded
 * earlier.
 */
export function verify(journal: Journal, expectedHead?: ChainPosition): Verification {
  return journal.database.read(() => {
    const check = new ChainCheck(journal, expectedHead);
    for (const link of linksOf(journal)) check.add(link);
    return check.end();
  });
}

/** Follows the chain link by link and collects the problems. */
class ChainCheck {
  readonly #journal: Journal;
  readonly #expectedHead: ChainPosition | undefined;
  readonly #marks: Marks;
  readonly #losses: RecordedLoss[];
  readonly #problems: string[] = [];
  readonly #counts = { entries: 0, links: 0, forgotten: 0 };
  /** The last link that was followed. */
  #last: ChainPosition;
  /** The number of the last entry; undefined if earlier entries were deleted and no entry was read yet. */
  #number: number | undefined;
  /** Whether the recorded head was reached. */
  #hasReachedHead: boolean;

  constructor(journal: Journal, expectedHead: ChainPosition | undefined) {
    this.#journal = journal;
    this.#expectedHead = expectedHead;
    this.#marks = marksOf(journal);
    this.#losses = lossesOf(journal);
    const { cut } = this.#marks;
    this.#last = cut ? { seq: cut.seq, hash: cut.hash } : { seq: 0, hash: rootHash };
    this.#number = cut ? undefined : 0;
    this.#hasReachedHead = expectedHead === undefined || expectedHead.seq <= this.#last.seq;
  }

  /** Checks the next link. */
  add(link: Link): void {
    this.#counts.links++;
    this.#checkNumber(link);
    this.#checkContent(link);
    const { cut } = this.#marks;
    // Rows that are still needed from the deleted part are outside of the chain.
    if (!cut || link.seq > cut.seq) this.#checkOrder(link);
    else if (!cut.links.includes(nameOf(link))) this.#report(`${link.label}: it wasn't written by boh.`);
  }

  /** Checks the end of the chain and the queue, and returns the outcome. */
  end(): Verification {
    const journal = this.#journal;
    const { loss } = journal;
    for (const { message, isAccepted } of this.#losses) if (!isAccepted) this.#report(message);
    if (loss) this.#report(describeLoss(loss));
    for (const problem of indexProblems(journal)) this.#report(problem);
    this.#checkEnd();
    for (const problem of queueProblems(journal)) this.#report(problem);
    if (!this.#hasReachedHead) this.#report('The recorded head is newer than the end of this chain.');
    return {
      intact: this.#problems.length === 0,
      ...this.#counts,
      head: `${this.#last.seq}:${this.#last.hash}`,
      dropped: this.#marks.cut?.seq ?? 0,
      lost: [...this.#losses.map(({ message }) => message), ...(loss ? [describeLoss(loss)] : [])],
      problems: this.#problems,
    };
  }

  /** Checks that entries are numbered without gaps, except after a recorded loss. */
  #checkNumber({ table, key, seq, label }: Link): void {
    if (table === 'entries') {
      this.#counts.entries++;
      if (this.#number !== undefined && key !== this.#number + 1)
        this.#report(`${label}: its number was changed.`);
      this.#number = key;
    }
    if (this.#number !== undefined && table === 'marks')
      this.#number = this.#losses.find((loss) => loss.seq === seq)?.next ?? this.#number;
  }

  /** Checks the digest of the content, and the seal of the remaining content of a forgotten row. */
  #checkContent(link: Link): void {
    const { label, content, salt, digest } = link;
    const seal = this.#marks.seals.get(nameOf(link));
    if (content === undefined) {
      this.#counts.forgotten++;
      if (seal === undefined) this.#report(`${label}: its content was removed, but not by boh.`);
    } else if (digestOf(salt ?? '', content) !== digest) {
      this.#report(`${label}: its content was changed.`);
    }
    if (seal !== undefined && seal !== sealOf(link))
      this.#report(`${label}: its remaining content was changed.`);
  }

  /** Checks that the link follows the previous link. */
  #checkOrder({ seq, digest, hash, label }: Link): void {
    const previous = this.#last;
    if (seq !== previous.seq + 1)
      this.#report(`${label}: the previous link (${previous.seq + 1}) is missing.`);
    else if (linkAfter(previous.hash, seq, digest) !== hash)
      this.#report(`${label}: it doesn't match the previous link.`);
    this.#last = { seq, hash };
    if (this.#expectedHead?.seq !== seq) return;
    this.#hasReachedHead = true;
    if (this.#expectedHead.hash !== hash) this.#report(`${label}: its hash differs from the recorded head.`);
  }

  /** Compares the end with the stored end, so that missing links at the end are detected. */
  #checkEnd(): void {
    const head = this.#journal.database.get('SELECT seq, number, hash FROM chain_end');
    const { seq, hash } = this.#last;
    if (this.#number !== undefined && this.#number > 0 && head?.number !== this.#number)
      this.#report(numberChanged(head?.number));
    if (Number(head?.seq) !== seq || (seq > 0 && head?.hash !== hash))
      this.#report(`The newest link (${head?.seq}) is missing: the end was cut off.`);
  }

  #report(problem: string): void {
    if (this.#problems.length < maxProblems) this.#problems.push(problem);
  }
}

function numberChanged(newest: Cell | undefined): string {
  return `The number of the next entry was changed: it would be ${Number(newest) + 1}.`;
}

/** Returns changed and missing queue rows: their positions must be consecutive. */
function queueProblems({ database }: Journal): string[] {
  const alteredMarks = database.all("SELECT content FROM marks WHERE kind = 'altered' ORDER BY seq");
  const problems = alteredMarks.map(({ content }) => {
    const parsedContent = parseContent(content);
    if (!isRow(parsedContent) || parsedContent.from === undefined)
      return 'A command was changed before it was added to the chain.';
    const changedEntries =
      parsedContent.from === parsedContent.to
        ? `entry ${parsedContent.from}`
        : `entries ${parsedContent.from} to ${parsedContent.to}`;
    return `${changedEntries}: changed before being added to the chain.`;
  });
  return problems.concat(pendingProblems(database));
}

/** Returns the problems of the rows in the queue, and of its end. */
function pendingProblems(database: Database): string[] {
  const tail = database.get('SELECT place, number, hash FROM tail');
  let [lastPosition, number]: [LastQueuePosition, number] = [
    enteredUpTo(database),
    new Head(database).number,
  ];
  for (let next = nextAfter(lastPosition, database); next; next = nextAfter(lastPosition, database)) {
    if (!follows(next, lastPosition)) return ['Queued entries were changed.'];
    number += rowsIn(next, database).filter(({ table }) => table === 'entries').length;
    lastPosition = next;
  }
  if (tail?.place !== lastPosition.position || tail.hash !== lastPosition.hash)
    return ['The newest queued entries are missing: the end was cut off.'];
  return tail.number === number ? [] : [numberChanged(tail.number)];
}

/** Returns entries whose index columns contradict their content: the chain covers only the content. */
function indexProblems({ database }: Journal): string[] {
  const rows = database.all(
    `SELECT entries.number, commands.id IS NULL OR accounts.id IS NULL AS is_lost
     FROM entries LEFT JOIN commands ON commands.id = entries.command LEFT JOIN accounts ON accounts.id = commands.account
       LEFT JOIN outcomes ON outcomes.number = entries.number
     WHERE commands.id IS NULL OR accounts.id IS NULL OR entries.content IS NOT NULL
         AND entries.id IS NOT coalesce(${inJson('entries', '$.ids[0]')}, ${inJson('outcomes', '$.id')})
     ORDER BY entries.number LIMIT ${maxProblems}`,
  );
  return rows.map(({ number, is_lost }) =>
    is_lost
      ? `entry ${number}: its command or its account is missing.`
      : `entry ${number}: its index columns contradict its content.`,
  );
}

/** Returns a column's value at a JSON path, if the column is valid JSON. */
function inJson(table: string, path: string): string {
  return `CASE WHEN json_valid(${table}.content) THEN json_extract(${table}.content, '${path}') END`;
}

interface Cut {
  seq: number;
  hash: string;
  /** Earlier rows that were still needed. */
  links: string[];
}

interface Marks {
  /** Seals of rows that were forgotten or remain from a deleted part. */
  seals: ReadonlyMap<string, string | undefined>;
  cut: Cut | undefined;
}

function marksOf({ database }: Journal): Marks {
  const seals = new Map<string, string | undefined>();
  let cut: Cut | undefined;
  for (const { kind, content } of database.all('SELECT kind, content FROM marks ORDER BY seq')) {
    const parsedContent = parseContent(content);
    if (kind === 'dropped' && isCut(parsedContent)) cut = parsedContent;
    if ((kind === 'forgotten' || kind === 'dropped') && isLinkList(parsedContent))
      for (const [index, name] of parsedContent.links.entries()) seals.set(name, parsedContent.seals[index]);
  }
  return { seals, cut };
}

/** A recorded loss. */
interface RecordedLoss {
  /** The link that records it. */
  seq: number;
  /** The newest number that can't be reused after it. */
  next: number;
  message: string;
  isAccepted: boolean;
}

/** Returns the recorded losses. */
function lossesOf({ database }: Journal): RecordedLoss[] {
  const rows = database.all(
    "SELECT seq, at, kind, content FROM marks WHERE kind IN ('lost', 'accepted') ORDER BY seq",
  );
  const acceptedSeq = rows.findLast(({ kind }) => kind === 'accepted')?.seq ?? 0;
  return rows.flatMap(({ seq, at, kind, content }) => {
    const loss = kind === 'lost' ? lossInMark(parseContent(content)) : undefined;
    if (!loss) return [];
    const foundAt = new Date(Number(at)).toISOString().slice(0, 19).replace('T', ' ');
    const message = `${describeLoss(loss)} Found ${foundAt} (UTC).`;
    return { seq: Number(seq), next: loss.next, message, isAccepted: Number(seq) < Number(acceptedSeq) };
  });
}

/** Returns undefined for invalid JSON: the digest reveals that change, too. */
function parseContent(content: Cell | undefined): unknown {
  try {
    return JSON.parse(String(content));
  } catch {
    return undefined;
  }
}

function isCut(parsedContent: unknown): parsedContent is Cut {
  return (
    isRow(parsedContent) &&
    typeof parsedContent.seq === 'number' &&
    typeof parsedContent.hash === 'string' &&
    isLinkList(parsedContent)
  );
}
