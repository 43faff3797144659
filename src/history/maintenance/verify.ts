/** Verifies that a journal is unchanged: each link of its chain, and all content that is still there. */

import { isRow } from '../../session/row.ts';
import type { Cell, Database } from '../../storage/database.ts';
import { digestOf, linkAfter, root } from '../journal/chain.ts';
import { Head } from '../journal/head.ts';
import type { Journal } from '../journal/journal.ts';
import { describeLoss } from '../journal/loss.ts';
import { enteredUpTo, follows, type LastQueuePosition, placeAfter, rowsIn } from '../journal/queued.ts';
import { namesLinks } from '../journal/stored-entry.ts';
import { linksOf, nameOf, sealOf } from './links.ts';
import { lossInMark } from './note-loss.ts';

/** The outcome of a verification. */
export interface Verification {
  /** Whether no problem was found. */
  intact: boolean;
  /** The number of writes that were checked. */
  entries: number;
  links: number;
  /** The end of the chain as `LINKS:HASH`. A copy kept elsewhere proves later that nothing before it was changed. */
  head: string;
  /** The number of forgotten entries: the chain proves that they existed, not what they contained. */
  forgotten: number;
  /** The number of links at the beginning that were deleted because of their age. */
  dropped: number;
  /** Messages about recorded losses, oldest first. */
  lost: string[];
  problems: string[];
}

/** Further problems are not listed: they would not help. */
const maxProblems = 50;

/** Verifies a journal as of one moment, while others read and write; `against` is a head that was recorded earlier. */
export function verify(journal: Journal, against?: { seq: number; hash: string }): Verification {
  return journal.database.read(() => verifyNow(journal, against));
}

function verifyNow(journal: Journal, against?: { seq: number; hash: string }): Verification {
  const problems: string[] = [];
  const say = (problem: string) => {
    if (problems.length < maxProblems) problems.push(problem);
  };
  const { seals, cut } = marksOf(journal);
  let [before, last] = cut ? [cut.hash, cut.seq] : [root, 0];
  const counts = { entries: 0, links: 0, forgotten: 0 };
  let number = cut ? undefined : 0;
  const losses = lossesOf(journal);
  let hasMet = against === undefined || against.seq <= (cut?.seq ?? 0);
  for (const link of linksOf(journal)) {
    counts.links++;
    if (link.table === 'entries') {
      counts.entries++;
      if (number !== undefined && link.key !== number + 1) say(`${link.what}: its number was changed.`);
      number = link.key;
    }
    if (number !== undefined)
      number = losses.find(({ seq }) => seq === link.seq && link.table === 'marks')?.next ?? number;
    if (link.content === undefined) {
      counts.forgotten++;
      if (!seals.has(nameOf(link))) say(`${link.what}: its content was removed, but not by boh.`);
    } else if (digestOf(link.salt ?? '', link.content) !== link.digest) {
      say(`${link.what}: its content was changed.`);
    }
    const seal = seals.get(nameOf(link));
    if (seal != null && seal !== sealOf(link)) say(`${link.what}: its remaining content was changed.`);
    // Rows that are still needed from the deleted part are outside of the chain.
    if (cut && link.seq <= cut.seq) {
      if (cut.links?.includes(nameOf(link)) === false) say(`${link.what}: it wasn't written by boh.`);
      continue;
    }
    if (link.seq !== last + 1) say(`${link.what}: the previous link (${last + 1}) is missing.`);
    else if (linkAfter(before, link.seq, link.digest) !== link.hash)
      say(`${link.what}: it doesn't match the previous link.`);
    [before, last] = [link.hash, link.seq];
    if (against?.seq === link.seq) {
      hasMet = true;
      if (against.hash !== link.hash) say(`${link.what}: its hash differs from the recorded head.`);
    }
  }
  for (const { sentence, isAccepted } of losses) if (!isAccepted) say(sentence);
  if (journal.loss) say(describeLoss(journal.loss));
  for (const problem of misplaced(journal)) say(problem);
  const head = journal.database.get('SELECT seq, number, hash FROM chain_end');
  if (number !== undefined && number > 0 && head?.number !== number) say(numberChanged(head?.number));
  if (Number(head?.seq) !== last || (last > 0 && head?.hash !== before))
    say(`The newest link (${head?.seq}) is missing: the end was cut off.`);
  for (const problem of wrongInQueue(journal)) say(problem);
  if (!hasMet) say('The recorded head is newer than the end of this chain.');
  return {
    intact: problems.length === 0,
    ...counts,
    head: `${last}:${before}`,
    dropped: cut?.seq ?? 0,
    lost: [...losses.map(({ sentence }) => sentence), ...(journal.loss ? [describeLoss(journal.loss)] : [])],
    problems,
  };
}

function numberChanged(newest: Cell | undefined): string {
  return `The number of the next entry was changed: it would be ${Number(newest) + 1}.`;
}

/** Returns changed and missing queue rows: their places must be consecutive. */
function wrongInQueue({ database }: Journal): string[] {
  const altered = database.all("SELECT content FROM marks WHERE kind = 'altered' ORDER BY seq");
  const problems = altered.map(({ content }) => {
    const parsedContent = parsed(content);
    if (!isRow(parsedContent) || parsedContent.from === undefined)
      return 'A command was changed before it was added to the chain.';
    const which =
      parsedContent.from === parsedContent.to
        ? `entry ${parsedContent.from}`
        : `entries ${parsedContent.from} to ${parsedContent.to}`;
    return `${which}: changed before being added to the chain.`;
  });
  return problems.concat(wrongInWaiting(database));
}

/** Checks the rows that have been queued since, and the end to which the next place is linked. */
function wrongInWaiting(database: Database): string[] {
  const tail = database.get('SELECT place, number, hash FROM tail');
  let [last, number]: [LastQueuePosition, number] = [enteredUpTo(database), new Head(database).number];
  for (let next = placeAfter(last, database); next; next = placeAfter(last, database)) {
    if (!follows(next, last)) return ['Queued entries were changed.'];
    number += rowsIn(next, database).filter(({ table }) => table === 'entries').length;
    last = next;
  }
  if (tail?.place !== last.place || tail.hash !== last.hash)
    return ['The newest queued entries are missing: the end was cut off.'];
  return tail.number === number ? [] : [numberChanged(tail.number)];
}

/** Returns entries whose index columns contradict their content: the chain covers only the content. */
function misplaced({ database }: Journal): string[] {
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
  /** Earlier rows that were still needed; older versions didn't list them. */
  links?: string[];
}

interface Marks {
  /** Seals of rows that were forgotten or remain from a deleted part; older versions made none. */
  seals: ReadonlyMap<string, string | null>;
  cut: Cut | undefined;
}

function marksOf({ database }: Journal): Marks {
  const seals = new Map<string, string | null>();
  let cut: Cut | undefined;
  for (const { kind, content } of database.all('SELECT kind, content FROM marks ORDER BY seq')) {
    const parsedContent = parsed(content);
    if (kind === 'dropped' && isCut(parsedContent)) cut = parsedContent;
    if ((kind === 'forgotten' || kind === 'dropped') && namesLinks(parsedContent))
      for (const [at, name] of parsedContent.links.entries())
        seals.set(name, parsedContent.seals?.[at] ?? null);
  }
  return { seals, cut };
}

/** Returns the recorded losses, each with the link that records it. */
function lossesOf({ database }: Journal) {
  const rows = database.all(
    "SELECT seq, at, kind, content FROM marks WHERE kind IN ('lost', 'accepted') ORDER BY seq",
  );
  const accepted = rows.findLast(({ kind }) => kind === 'accepted')?.seq ?? 0;
  return rows.flatMap(({ seq, at, kind, content }) => {
    const loss = kind === 'lost' ? lossInMark(parsed(content)) : undefined;
    if (!loss) return [];
    const found = new Date(Number(at)).toISOString().slice(0, 19).replace('T', ' ');
    const sentence = `${describeLoss(loss)} Found ${found} (UTC).`;
    return { seq: Number(seq), next: loss.next, sentence, isAccepted: Number(seq) < Number(accepted) };
  });
}

/** Returns undefined for invalid JSON; its digest shows the change, too. */
function parsed(content: Cell | undefined): unknown {
  try {
    return JSON.parse(String(content));
  } catch {
    return undefined;
  }
}

function isCut(parsedContent: unknown): parsedContent is Cut {
  const isOne =
    isRow(parsedContent) && typeof parsedContent.seq === 'number' && typeof parsedContent.hash === 'string';
  return isOne && (parsedContent.links === undefined || namesLinks(parsedContent));
}
