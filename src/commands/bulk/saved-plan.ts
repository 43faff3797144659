/** Stores the parts of a plan that its rows don't contain. `boh apply --plan` needs them to show, confirm and apply it. */
import { usage } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { recordOwner } from '../../runs/ledger/owner.ts';
import { hasChangedRows, recordRowDigest } from '../../runs/ledger/row-digest.ts';
import { isUnsent } from '../../runs/ledger/runs.ts';
import { accountInUse } from '../../session/account.ts';
import type { Session } from '../../session/session.ts';
import type { RunFlags } from './run-flags.ts';
import type { PlanWords } from './show-plan.ts';

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
  flags: Pick<RunFlags, 'out'>;
}

const savedPlanKey = 'saved_plan';

/** Stores the parts of a plan in its ledger, and returns the command that applies it as a hint. Throws `usage` offline. */
export async function savePlan(run: PlanToSave, { recordedWrites }: Context): Promise<Hint[]> {
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
  // `apply --plan` sends it later, so nothing is undone yet.
  recordedWrites.undoing = undefined;
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
