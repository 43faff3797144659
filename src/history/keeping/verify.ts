/** Whether a journal is as it was written: every link of its chain, and every content that is still there. */
import { digestOf, linkAfter, root } from '../journal/chain.ts';
import type { Journal } from '../journal/journal.ts';
import { type Link, linksOf } from './links.ts';

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
  problems: string[];
}

/** More would tell nobody more. */
const mostProblems = 50;

/** `against` is a head that was noted before. Reads all of it. */
export function verify(journal: Journal, against?: { seq: number; hash: string }): Verification {
  const problems: string[] = [];
  const say = (problem: string) => {
    if (problems.length < mostProblems) problems.push(problem);
  };
  const { allowed, cut } = marksOf(journal);
  let [before, last] = cut ? [cut.hash, cut.seq] : [root, 0];
  const counts = { entries: 0, links: 0, forgotten: 0 };
  let hasMet = against === undefined || against.seq <= (cut?.seq ?? 0);
  for (const link of linksOf(journal)) {
    counts.links++;
    if (link.table === 'entries') counts.entries++;
    if (link.content === undefined) {
      counts.forgotten++;
      if (!allowed.has(nameOf(link)))
        say(`${link.what}: its content was removed by something else than boh.`);
    } else if (digestOf(link.salt ?? '', link.content) !== link.digest) {
      say(`${link.what}: it says something else than what was written.`);
    }
    // What is still needed of the part that was dropped stands apart from the chain.
    if (cut && link.seq <= cut.seq) continue;
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
  const head = journal.database.get('SELECT seq, hash FROM head');
  if (Number(head?.seq) !== last || (last > 0 && head?.hash !== before))
    say(`The newest link (${head?.seq}) is missing: the end was cut off.`);
  if (!hasMet) say('The head that was noted lies behind the end of this chain.');
  return {
    intact: problems.length === 0,
    ...counts,
    head: `${last}:${before}`,
    dropped: cut?.seq ?? 0,
    problems,
  };
}

interface Marks {
  /** What was forgotten on purpose. */
  allowed: ReadonlySet<string>;
  cut: { seq: number; hash: string } | undefined;
}

function marksOf({ database }: Journal): Marks {
  const allowed = new Set<string>();
  let cut: Marks['cut'];
  for (const { kind, content } of database.all('SELECT kind, content FROM marks ORDER BY seq')) {
    const told = JSON.parse(String(content));
    if (kind === 'forgotten') for (const name of told.links) allowed.add(name);
    if (kind === 'dropped') cut = told;
  }
  return { allowed, cut };
}

/** As marks name it: `entries 12`. */
export function nameOf({ table, key }: Pick<Link, 'table' | 'key'>): string {
  return `${table} ${key}`;
}
