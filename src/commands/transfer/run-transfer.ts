/** Plans a copy or a restore in a ledger, and carries it out. */
import { type Failure, type FieldMessages, usage } from '../../base/errors.ts';
import { firstItems } from '../../base/shown-items.ts';
import type { Context } from '../../context/context.ts';
import type { Api } from '../../contract/api.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Result } from '../../output/result.ts';
import { steadyHeap } from '../../output/steady-heap.ts';
import { countedAs } from '../../output/wording.ts';
import { fingerprintOfRows, noteRows } from '../../runs/ledger/same-rows.ts';
import type { Session } from '../../session/session.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { note } from '../../terminal/messages.ts';
import { partsProgress } from '../../terminal/progress.ts';
import { isAnotherThere } from '../../transfer/match-target.ts';
import { planTransfer } from '../../transfer/plan-transfer.ts';
import type { Source } from '../../transfer/source.ts';
import {
  deniedFields,
  Findings,
  type HeldBack,
  type Missing,
  type Transfer,
} from '../../transfer/transfer.ts';
import { type GivenReference, referenceIds } from '../../transfer/translate.ts';
import { planInNewLedger } from '../bulk/ledger.ts';
import { lockLedger } from '../bulk/lock-run.ts';
import { runPlan } from '../bulk/run-plan.ts';
import { refuseBadRows } from '../bulk/show-plan.ts';
import { flagOf, type TransferFlags } from './transfer-flags.ts';

export interface TransferRun {
  /** The command as typed: `restore-from`. */
  command: string;
  /** What the records come from, for sentences and for the list of runs. */
  label: string;
  source: Source;
  from: string | null;
  resources: readonly Resource[];
  /** The account that is written to. */
  session: Session;
  isSameAccount: boolean;
  references: readonly GivenReference[];
  flags: TransferFlags;
  /** See `Transfer`. */
  edited?: Transfer['edited'];
  /** Returns the target's id of a record that is found otherwise than by a flag or by its own name. */
  idOutside?: Transfer['idOfReference'] | undefined;
}

export async function runTransfer(run: TransferRun, context: Context): Promise<Result> {
  const { command, label, session, flags, resources } = run;
  const isKept = !context.globals.dryRun;
  return planInNewLedger({ command, source: run.from, flags, isKept, context }, async (ledger) => {
    const areSame = run.isSameAccount || flags.sameReferences === true;
    const transfer: Transfer = {
      ledger,
      session,
      source: run.source,
      resources,
      isSameAccount: run.isSameAccount,
      withDeleted: flags.withDeleted === true,
      withReferences: flags.withReferences === true,
      skipMissing: flags.skipMissing === true,
      denied: await deniedFields(session, session.api.collections),
      edited: run.edited,
      idOfReference: await idOfReference(run, areSame),
      findings: new Findings(),
      beforeMatching: async () => {
        await run.source.refuseChanged?.();
        const named = new Set(ledger.countsByResource().map(({ resource }) => resource));
        await lockLedger(ledger, { account: session, resources: [...named], flags, command }, context);
      },
      onRows: steadyHeap(context),
    };
    await planned(transfer, context);
    reportTransfer(transfer, context);
    const missing = missingFailure(transfer.findings, session.api);
    if (missing) throw missing;
    const words = {
      label,
      resource: { noun: 'record', nouns: 'records' },
      // What is made is counted; what is there and would become something else is worth reading.
      isOnlyExistingListed: true,
    };
    const bad = refuseBadRows(ledger, words, flags);
    const discard = async () => ledger.discard();
    if (bad) return { ...bad, hasResources: true, end: () => bad.end().finally(discard) };
    const asked = [command, run.from, resources.map(({ name }) => name), flags, run.references];
    noteRows(ledger, { mark: fingerprintOfRows(asked), isFound: true });
    return { ...(await runPlan({ ledger, session, flags, words }, context)), hasResources: true } as Result;
  });
}

/**
 * Returns how to map references: in the same account names lead to its own records; in another one, flags take
 * precedence.
 */
async function idOfReference(
  { session, references, isSameAccount, idOutside }: TransferRun,
  areSame: boolean,
): Promise<Transfer['idOfReference']> {
  const given = await referenceIds(session, references, { areSame });
  if (!idOutside) return given;
  const [first, second] = isSameAccount ? [idOutside, given] : [given, idOutside];
  return (target, related) => first(target, related) ?? second(target, related);
}

async function planned(transfer: Transfer, { streams }: Context): Promise<void> {
  const bar = partsProgress(streams);
  let count = 0;
  const begin = (label: string) => {
    count = 0;
    bar.startPart(label);
  };
  const onRows = (more: number) => {
    transfer.onRows?.(more);
    count += more;
    bar.update(count);
  };
  begin('Reading records');
  try {
    await planTransfer({ ...transfer, onRows }, ({ nouns }) => begin(`Comparing ${nouns}`));
  } finally {
    bar.done();
  }
}

/** Returns one failure for all records that relations need and the target lacks; undefined if none is missing. */
function missingFailure({ missing }: Findings, api: Api): Failure | undefined {
  if (missing.size === 0) return undefined;
  const all = [...missing.values()];
  const fields: FieldMessages = Object.create(null);
  for (const target of new Set(all.map((one) => one.target))) {
    const ofKind = all.filter((one) => one.target === target);
    fields[target] = firstItems(ofKind.map((one) => sentenceFor(one, api)));
  }
  const count = all.length === 1 ? 'One record is' : `${all.length} records are`;
  const ways = [
    ...(all.some(({ target }) => api.resource(target)) ? ['--with-references copies them'] : []),
    ...(all.some(({ target }) => api.reference(target))
      ? [
          '--map-branch SOURCE=TARGET and similar flags replace them, --same-references uses their IDs unchanged',
        ]
      : []),
    '--skip-missing omits these relations',
  ];
  return usage(`${count} referenced but missing in the target. Nothing was sent.`, {
    fields,
    hint: `${ways.join('; ')}.`,
  });
}

function sentenceFor({ target, id, name, count, example }: Missing, api: Api): string {
  // Files of an export have only the name.
  const what = cleanLine(name === null || name === id ? id : `${name} (${id})`);
  const who = count === 1 ? `${example} refers to it` : `${count} refer to it, such as ${example}`;
  const one = api.reference(target)?.one;
  const pair = /\s/.test(id) ? `"${id}=…"` : `${id}=…`;
  return one === undefined ? `${what}: ${who}` : `${what}: ${who}; --${flagOf(one)} ${pair}`;
}

const reasons: Readonly<Record<HeldBack, string>> = {
  deleted: 'because they are deleted (to include them: --with-deleted)',
  settled: 'because they have already taken effect',
  closed: 'because those of the target have already taken effect',
  not_creatable: "because the API can't create them, and the target has no match",
  not_writable: "because the API can't write them",
};

function reportTransfer(transfer: Transfer, { streams }: Context): void {
  const { ledger, findings, session, resources, denied } = transfer;
  const say = (text: string) => note(streams, text);
  const nounsOf = (name: string) => session.api.nounsOf(name);
  const parts = new Map<string, string[]>();
  for (const { resource, action, state, count } of ledger.countsByResource()) {
    const what = state === 'bad' ? "that can't be written" : action === 'skip' ? 'unchanged' : `to ${action}`;
    parts.set(resource, [...(parts.get(resource) ?? []), `${count} ${what}`]);
  }
  for (const [resource, counts] of parts) say(`  ${nounsOf(resource)}: ${counts.join(', ')}`);
  for (const [why, counts] of findings.heldBack) {
    const what = [...counts].map(([name, count]) => countedAs(session.api, name, count)).join(', ');
    say(`Skipped, ${reasons[why]}: ${what}.`);
  }
  const relations = [...findings.leftOut].flatMap(([name, counts]) =>
    [...counts].map(([field, count]) => `${field} of ${nounsOf(name)} (${count})`),
  );
  if (relations.length > 0)
    say(`Relations omitted, because their records are missing in the target: ${relations.join(', ')}.`);
  const closed = [...denied].filter(([name]) => parts.has(name));
  if (closed.length > 0) {
    const what = closed.map(([name, fields]) => `${nounsOf(name)}: ${[...fields].join(', ')}`);
    say(`Fields skipped, because the token isn't allowed to write them: ${what.join('; ')}.`);
  }
  const fields = resources.flatMap((resource) => {
    const names = unwrittenFields(resource);
    return names.length > 0 && parts.has(resource.name) ? [`${resource.nouns}: ${names.join(', ')}`] : [];
  });
  const documents = resources.filter(
    (resource) => isAnotherThere(transfer, resource) && parts.has(resource.name),
  );
  if (documents.length > 0) {
    const what = documents.map(({ nouns }) => nouns).join(', ');
    say(`Matched only if identical, because each account assigns its own: ${what}.`);
  }
  if (fields.length > 0 && !transfer.edited) say(`Fields that no request can write: ${fields.join('; ')}.`);
}

/** Secrets, and what the service says of a record or of a link by itself. */
function unwrittenFields(resource: Resource): string[] {
  const written = ['create', 'update'].flatMap((verb) => operation(resource, verb)?.body ?? []);
  const linked = Object.values(resource.links ?? {}).map(({ field }) => field);
  return Object.entries(resource.fields).flatMap(([name, { traits }]) => {
    if (traits.secret) return [name];
    const isWritten = written.some(({ shown, field }) => shown === name && !field.traits.ignored);
    if (isWritten || linked.includes(name))
      return Object.entries(traits.inverseOf ? {} : (traits.pivot ?? {})).flatMap(([inner, field]) =>
        field.traits.written ? [] : [`${name}.${inner}`],
      );
    return name === 'id' || traits.kind === 'timestamp' || traits.inverseOf ? [] : [name];
  });
}
