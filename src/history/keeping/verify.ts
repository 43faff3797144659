/** Whether a journal is as it was written: every link of its chain, and every content that is still there. */

import { isRow } from '../../session/row.ts';
import type { Cell, Database } from '../../storage/database.ts';
import { digestOf, linkAfter, root } from '../journal/chain.ts';
import { Head } from '../journal/head.ts';
import type { Journal } from '../journal/journal.ts';
import { describeLoss } from '../journal/loss.ts';
import { enteredUpTo, follows, type LastPlace, placeAfter, rowsIn } from '../journal/queued.ts';
import { namesLinks } from '../journal/stored-entry.ts';
import { linksOf, nameOf, sealOf } from './links.ts';
import { lossInMark } from './note-loss.ts';

export interface Verification {
  /** Everything that is there fits together. */
  intact: boolean;
  /** How many writes, and links of the chain, were looked at. */
  entries: number;
  links: number;
  /** The end of the chain, as `LINKS:HASH`: kept elsewhere, it proves later that nothing up to here was changed. */
  head: string;
  /** Content that was forgotten on purpose: that it was there can be proven, not what it was. */
  forgotten: number;
  /** Links at the beginning that were dropped, as they were old. */
  dropped: number;
  /** Losses that were found, in words, oldest first. */
  lost: string[];
  problems: string[];
}

/** More would tell nobody more. */
const mostProblems = 50;

/** `against` is a head that was noted before. Reads all of it, as it is at one moment: others go on writing, and asking. */
export function verify(journal: Journal, against?: { seq: number; hash: string }): Verification {
  return journal.database.read(() => verifyNow(journal, against));
}

function verifyNow(journal: Journal, against?: { seq: number; hash: string }): Verification {
  const problems: string[] = [];
  const say = (problem: string) => {
    if (problems.length < mostProblems) problems.push(problem);
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
      if (number !== undefined && link.key !== number + 1) say(`${link.what}: its number was another.`);
      number = link.key;
    }
    if (number !== undefined)
      number = losses.find(({ seq }) => seq === link.seq && link.table === 'marks')?.next ?? number;
    if (link.content === undefined) {
      counts.forgotten++;
      if (!seals.has(nameOf(link))) say(`${link.what}: its content was removed by something else than boh.`);
    } else if (digestOf(link.salt ?? '', link.content) !== link.digest) {
      say(`${link.what}: it says something else than what was written.`);
    }
    const seal = seals.get(nameOf(link));
    if (seal != null && seal !== sealOf(link))
      say(`${link.what}: what is left of it says something else than what was left.`);
    // What is still needed of the part that was dropped stands apart from the chain.
    if (cut && link.seq <= cut.seq) {
      if (cut.links?.includes(nameOf(link)) === false)
        say(`${link.what}: it was put in by something else than boh.`);
      continue;
    }
    if (link.seq !== last + 1)
      say(`${link.what}: what should stand before it (link ${last + 1}) is missing.`);
    else if (linkAfter(before, link.seq, link.digest) !== link.hash)
      say(`${link.what}: it doesn’t follow what stands before it.`);
    [before, last] = [link.hash, link.seq];
    if (against?.seq === link.seq) {
      hasMet = true;
      if (against.hash !== link.hash) say(`${link.what}: the head that was noted is not in this chain.`);
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
  if (!hasMet) say('The head that was noted lies behind the end of this chain.');
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

/** What was changed while it waited in the queue, and what is missing there: places follow each other. */
function wrongInQueue({ database }: Journal): string[] {
  const altered = database.all("SELECT content FROM marks WHERE kind = 'altered' ORDER BY seq");
  const problems = altered.map(({ content }) => {
    const told = parsed(content);
    if (!isRow(told) || told.from === undefined)
      return 'A command was changed before it had its place in the chain.';
    const which = told.from === told.to ? `entry ${told.from}` : `entries ${told.from} to ${told.to}`;
    return `${which}: what stood there was changed before it had its place in the chain.`;
  });
  return problems.concat(wrongInWaiting(database));
}

/** What has come since all entered, and the end where the next place is linked. */
function wrongInWaiting(database: Database): string[] {
  const tail = database.get('SELECT place, number, hash FROM tail');
  let [last, number]: [LastPlace, number] = [enteredUpTo(database), new Head(database).number];
  for (let next = placeAfter(last, database); next; next = placeAfter(last, database)) {
    if (!follows(next, last)) return ['What waits to be entered was changed.'];
    number += rowsIn(next, database).filter(({ table }) => table === 'entries').length;
    last = next;
  }
  if (tail?.place !== last.place || tail.hash !== last.hash)
    return ['What was written down last is missing: the end was cut off.'];
  return tail.number === number ? [] : [numberChanged(tail.number)];
}

/** Entries that are found by something else than they say: that isn’t part of the chain, and follows from what is. */
function misplaced({ database }: Journal): string[] {
  const rows = database.all(
    `SELECT entries.number, commands.id IS NULL OR accounts.id IS NULL AS is_lost
     FROM entries LEFT JOIN commands ON commands.id = entries.command LEFT JOIN accounts ON accounts.id = commands.account
       LEFT JOIN kinds ON kinds.id = entries.kind LEFT JOIN outcomes ON outcomes.number = entries.number
     WHERE commands.id IS NULL OR accounts.id IS NULL OR kinds.id IS NULL OR kinds.account IS NOT commands.account
       OR kinds.resource IS NOT entries.resource OR kinds.fields IS NOT entries.fields
       OR kinds.profile IS NOT ${inJson('commands', '$.profile')}
       OR entries.content IS NOT NULL
         AND entries.id IS NOT coalesce(${inJson('entries', '$.ids[0]')}, ${inJson('outcomes', '$.id')})
     ORDER BY entries.number LIMIT ${mostProblems}`,
  );
  return rows.map(({ number, is_lost }) =>
    is_lost
      ? `entry ${number}: the command that it is of, or whose that was, is missing.`
      : `entry ${number}: it is found by something else than it says.`,
  );
}

/** What the content of a table’s row holds, as far as it is JSON. */
function inJson(table: string, path: string): string {
  return `CASE WHEN json_valid(${table}.content) THEN json_extract(${table}.content, '${path}') END`;
}

interface Cut {
  seq: number;
  hash: string;
  /** Those before it that were still needed; an earlier boh didn’t name them. */
  links?: string[];
}

interface Marks {
  /** By what was forgotten on purpose, or stays of a part that was dropped; an earlier boh made none. */
  seals: ReadonlyMap<string, string | null>;
  cut: Cut | undefined;
}

function marksOf({ database }: Journal): Marks {
  const seals = new Map<string, string | null>();
  let cut: Cut | undefined;
  for (const { kind, content } of database.all('SELECT kind, content FROM marks ORDER BY seq')) {
    const told = parsed(content);
    if (kind === 'dropped' && isCut(told)) cut = told;
    if ((kind === 'forgotten' || kind === 'dropped') && namesLinks(told))
      for (const [at, name] of told.links.entries()) seals.set(name, told.seals?.[at] ?? null);
  }
  return { seals, cut };
}

/** Losses that were noted in the chain, each with the link that says so. */
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

/** Nothing where it is no JSON: its digest says so, too. */
function parsed(content: Cell | undefined): unknown {
  try {
    return JSON.parse(String(content));
  } catch {
    return undefined;
  }
}

function isCut(told: unknown): told is Cut {
  const isOne = isRow(told) && typeof told.seq === 'number' && typeof told.hash === 'string';
  return isOne && (told.links === undefined || namesLinks(told));
}
