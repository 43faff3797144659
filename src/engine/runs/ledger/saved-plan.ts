/**
 * Saves a plan in its ledger, with the parts that its rows don't contain: `boh apply --plan` shows, confirms and sends it.
 * A digest detects whether the rows were edited or damaged, because the reviewed rows must be sent.
 */
import { createHash } from 'node:crypto';
import { accountInUse } from '../../../account/session/account.ts';
import type { Session } from '../../../account/session/session.ts';
import { usage } from '../../../base/errors.ts';
import { boh, type Hint } from '../../../base/hint.ts';
import type { Ledger } from './ledger.ts';
import { recordOwner } from './owner.ts';
import { isUnsent } from './runs.ts';

/** The words that describe a plan. Saved plans store them. */
export interface PlanWords {
  /** The source of the rows, at the start of the summary: "The file prices.csv". */
  label: string;
  /** The noun of the records, singular and plural. */
  resource: { noun: string; nouns: string };
  /** The verb of the confirmation; `write` by default. */
  verb?: string | undefined;
  /** The word for records that need no request; `unchanged` by default. */
  unchanged?: string | undefined;
  /** The words for excluded rows that aren't invalid rows of a file. These rows are listed even without a confirmation. */
  excluded?: string | undefined;
  /** Whether the confirmation only counts the rows that create records, and doesn't list them. */
  isOnlyExistingListed?: boolean | undefined;
}

/** The parts of a plan that its rows don't contain. They are stored in the metadata of the ledger. */
export interface SavedParts {
  words: PlanWords;
  /** Whether to ask for confirmation even for one record. */
  isAlwaysAsked?: boolean | undefined;
  /** A note before the confirmation that says whether the changes can be undone. */
  consequence?: Hint | undefined;
  /** The number of parallel requests, if the order of rows allows fewer than the flags. */
  concurrency?: string | undefined;
}

interface PlanToSave extends SavedParts {
  ledger: Ledger;
  session: Session | undefined;
  flags: { out?: string };
}

const savedPlanKey = 'saved_plan';

/** Stores the parts of a plan in its ledger, and returns the command that applies it as a hint. Throws `usage` offline. */
export async function savePlan(run: PlanToSave): Promise<Hint[]> {
  const { ledger, session, words, isAlwaysAsked, consequence, concurrency, flags } = run;
  if (!session) throw usage("--out can't be combined with --offline: a plan is saved for an account.");
  const account = await accountInUse(session);
  const { label, verb, unchanged, excluded, isOnlyExistingListed } = words;
  const { noun, nouns } = words.resource;
  const parts: SavedParts = {
    words: { label, resource: { noun, nouns }, verb, unchanged, excluded, isOnlyExistingListed },
    isAlwaysAsked,
    consequence,
    concurrency,
  };
  const { profile } = session.settings;
  ledger.write(() => {
    ledger.setProperty(savedPlanKey, parts);
    ledger.setProperty('profile', profile ?? null);
    recordOwner(ledger, account);
  });
  recordRowDigest(ledger);
  ledger.checkpoint();
  const applyCommand = boh.forProfile(profile, 'apply', '--plan', String(flags.out));
  return [boh.hint`Saved the plan to ${String(flags.out)}. To apply it: ${applyCommand}`];
}

/** Returns the parts of a saved plan. Throws `usage` if the file isn't one, was changed, or was already applied. */
export function readSavedParts(ledger: Ledger): SavedParts {
  const parts = ledger.property(savedPlanKey) as SavedParts | undefined;
  const resumeCommand = boh.account('runs resume', ledger.file);
  if (!parts)
    throw usage(`${ledger.file} is the ledger of a run, not a saved plan.`, {
      hint: boh.hint`To resume it: ${resumeCommand}`,
    });
  if (isUnsent(ledger)) {
    if (!hasChangedRows(ledger)) return parts;
    throw usage(`The plan ${ledger.file} was changed or damaged after it was saved. Nothing was sent.`, {
      hint: 'Plan again.',
    });
  }
  throw usage(`The plan ${ledger.file} was already applied. Nothing was sent.`, {
    hint: boh.hint`To show the results: ${boh.account('runs show', ledger.file)}. To resume it: ${resumeCommand}`,
  });
}

/** The property with the digest. */
const digestProperty = 'row_digest';

/** Records the digest of all rows, which must not change afterwards. */
export function recordRowDigest(ledger: Ledger): void {
  ledger.setProperty(digestProperty, digestOfRows(ledger));
}

/** Returns whether the rows were saved as a plan before they are sent. */
export function isSavedPlan(ledger: Ledger): boolean {
  return ledger.property(digestProperty) !== undefined;
}

/** Returns whether rows have changed since the digest was recorded. */
export function hasChangedRows(ledger: Ledger): boolean {
  return ledger.property(digestProperty) !== digestOfRows(ledger);
}

/** Returns a digest of all rows as they are stored, with references in place of secrets. */
function digestOfRows(ledger: Ledger): string {
  const hash = createHash('sha256');
  for (const { run: _, ...cells } of ledger.storedRows()) hash.update(JSON.stringify(cells));
  return hash.digest('hex');
}
