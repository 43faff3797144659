/** Plans a copy, an import or a restore in a ledger, and sends it. Also defines their flags. */

import type { Session } from '../../../account/session/session.ts';
import type { Api, Reference } from '../../../api/contract/api.ts';
import { targetsOf } from '../../../api/contract/field.ts';
import { operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { type Failure, type FieldMessages, usage } from '../../../base/errors.ts';
import { truncateItems } from '../../../base/shown-items.ts';
import { fingerprintOfRows, recordRowsIdentity } from '../../../engine/runs/ledger/same-rows.ts';
import { isSeparatePerAccount } from '../../../engine/transfer/match-target.ts';
import { planTransfer } from '../../../engine/transfer/plan-transfer.ts';
import type { Source } from '../../../engine/transfer/source.ts';
import {
  type ExclusionReason,
  findDeniedFields,
  type MissingRecord,
  type Transfer,
  TransferReport,
} from '../../../engine/transfer/transfer.ts';
import { createReferenceFinder, type ReferenceMapping } from '../../../engine/transfer/translate.ts';
import type { Context } from '../../context/context.ts';
import { startRowProgress } from '../../output/heap-limiter.ts';
import type { Result } from '../../output/result.ts';
import { formatCountByName } from '../../output/wording.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { note } from '../../terminal/messages.ts';
import { lockLedger, planInNewLedger } from '../bulk/ledger.ts';
import { runPlan } from '../bulk/run.ts';
import { exitCodeFlag, planningFlags, runFlagProblems } from '../bulk/run-flags.ts';
import { refuseInvalidRows } from '../bulk/show-plan.ts';
import { flagValues } from '../flags/contract-flags.ts';
import { type Flag, type FlagsOf, repeated, under } from '../flags/flag-table.ts';

export const transferFlags = (api: Api) =>
  [
    ...under('Records:', [
      ['--with-references', 'also copy related records that are missing in the target'],
      ['--with-deleted', 'include deleted records: create them, then delete them'],
      ['--skip-missing', 'omit relations to records that are missing in the target'],
      ['--skip-invalid', "skip records that can't be written"],
    ]),
    ...under('Advanced:', [
      ...mappableReferences(api).map(
        ({ one }): Flag => [
          `--${mapFlagOf(one)} <source=target>`,
          `replace a ${one} of the source with a ${one} of the target, by ID or name (repeatable)`,
          repeated,
        ],
      ),
      ['--same-references', 'use the IDs of branches, products and other references unchanged'],
    ]),
    ...planningFlags,
    ...under('Records:', [exitCodeFlag]),
  ] as const;

/** The flags of a transfer, not yet validated. */
export type TransferFlags = FlagsOf<ReturnType<typeof transferFlags>>;

export function transferProblems(flags: TransferFlags, api: Api): FieldMessages {
  const problems = runFlagProblems(flags);
  for (const { one } of mappableReferences(api)) {
    const invalidPairs = mapPairsOf(one, flags).filter((pair) => !referencePattern.test(pair));
    if (invalidPairs.length > 0)
      problems[mapFlagOf(one)] = invalidPairs.map((pair) => `Expected SOURCE=TARGET, not "${pair}"`);
  }
  return problems;
}

/** Parses `--map-branch A=B` and similar flags. */
export function parseReferenceFlags(flags: TransferFlags, api: Api): ReferenceMapping[] {
  return mappableReferences(api).flatMap(({ one, name: target }) =>
    mapPairsOf(one, flags).map((pair) => {
      const [, sourceName = '', targetName = ''] = referencePattern.exec(pair) ?? [];
      return { target, sourceName, targetName };
    }),
  );
}

const referencePattern = /^([^=]+)=(.+)$/s;

function mapPairsOf(noun: string, flags: TransferFlags): readonly string[] {
  return flagValues(flags, [mapFlagOf(noun)]).flatMap(({ values }) => values);
}

/** Returns the name of the flag that maps a reference: `map-branch`. */
function mapFlagOf(noun: string): string {
  return `map-${noun.replaceAll(' ', '-')}`;
}

/** Returns the references that records refer to by name, and that the API has no list of. */
function mappableReferences({ references, collections }: Api): Reference[] {
  const targets = new Set(collections.flatMap(({ fields }) => targetsOf(Object.values(fields))));
  return references.filter(({ isNamed, name }) => isNamed && targets.has(name));
}

/** A copy, an import or a restore. */
export interface TransferRun {
  /** The command as ledgers store it: `import`, `copy --to NAME`, or `backup restore`. */
  command: string;
  /** The source of the records, for messages. */
  label: string;
  source: Source;
  from: string | null;
  resources: readonly Resource[];
  /** The target account. */
  session: Session;
  isSameAccount: boolean;
  references: readonly ReferenceMapping[];
  flags: TransferFlags;
  /** See `Transfer`. */
  edited?: Transfer['edited'];
  /** Returns the ID in the target of a record that the files name but don't contain; undefined if there is none. */
  accountIdOf?: Transfer['idOfReference'] | undefined;
}

/** Plans the transfer, shows the plan, asks for confirmation, and sends it. */
export async function runTransfer(run: TransferRun, context: Context): Promise<Result> {
  const { command, label, session, flags, resources } = run;
  const isKept = !context.globals.dryRun;
  return planInNewLedger({ command, source: run.from, flags, isKept, session, context }, async (ledger) => {
    const usesSameIds = run.isSameAccount || flags.sameReferences === true;
    const transfer: Transfer = {
      ledger,
      session,
      source: run.source,
      resources,
      isSameAccount: run.isSameAccount,
      includesDeleted: flags.withDeleted === true,
      includesReferences: flags.withReferences === true,
      skipsMissing: flags.skipMissing === true,
      deniedFields: await findDeniedFields(session, session.api.collections),
      edited: run.edited,
      idOfReference: await createReferenceLookup(run, usesSameIds),
      report: new TransferReport(),
      beforeMatching: async () => {
        await run.source.refuseChanged?.();
        const resourceNames = new Set(ledger.countsByResource().map(({ resource }) => resource));
        await lockLedger(
          ledger,
          { account: session, resources: [...resourceNames], flags, command },
          context,
        );
      },
    };
    await planWithProgress(transfer, context);
    reportTransfer(transfer, context);
    const missingRecordsFailure = missingFailure(transfer.report, session.api);
    if (missingRecordsFailure) throw missingRecordsFailure;
    const words = {
      label,
      resource: { noun: 'record', nouns: 'records' },
      // New records are only counted; changes of existing records are listed.
      isOnlyExistingListed: true,
    };
    const refusalResult = refuseInvalidRows(ledger, words, flags);
    const discard = async () => ledger.discard();
    if (refusalResult)
      return { ...refusalResult, hasResources: true, end: () => refusalResult.end().finally(discard) };
    const rowParts = [
      command,
      run.from,
      resources.map(({ name }) => name),
      flags,
      storedReferences(run.references),
    ];
    recordRowsIdentity(ledger, { mark: fingerprintOfRows(rowParts), isFound: true });
    return { ...(await runPlan({ ledger, session, flags, words }, context)), hasResources: true } as Result;
  });
}

/** Returns the references with the property names that fingerprints of stored runs use. Other names would change these fingerprints. */
function storedReferences(references: readonly ReferenceMapping[]): unknown[] {
  return references.map(({ target, sourceName, targetName }) => ({
    target,
    theirs: sourceName,
    ours: targetName,
  }));
}

/**
 * Returns the function that maps references to IDs of the target. In the same account, names of the files take
 * precedence; in another account, flags do.
 */
async function createReferenceLookup(
  { session, references, isSameAccount, accountIdOf }: TransferRun,
  hasSameReferences: boolean,
): Promise<Transfer['idOfReference']> {
  const findByFlag = await createReferenceFinder(session, references, { hasSameReferences });
  if (!accountIdOf) return findByFlag;
  const [primaryLookup, fallbackLookup] = isSameAccount
    ? [accountIdOf, findByFlag]
    : [findByFlag, accountIdOf];
  return (target, related) => primaryLookup(target, related) ?? fallbackLookup(target, related);
}

async function planWithProgress(transfer: Transfer, context: Context): Promise<void> {
  const progress = startRowProgress(context);
  progress.startPart('Reading records');
  const startResource = ({ nouns }: Resource) => progress.startPart(`Comparing ${nouns}`);
  await planTransfer({ ...transfer, onRows: progress.add }, startResource).finally(progress.done);
}

/** Returns one failure for all referenced records that the target doesn't have; undefined if there are none. */
function missingFailure({ missing }: TransferReport, api: Api): Failure | undefined {
  if (missing.size === 0) return undefined;
  const records = [...missing.values()];
  const fields: FieldMessages = Object.create(null);
  for (const target of new Set(records.map((record) => record.target))) {
    const targetRecords = records.filter((record) => record.target === target);
    fields[target] = truncateItems(targetRecords.map((record) => describeMissingRecord(record, api)));
  }
  const count = records.length === 1 ? 'One record is' : `${records.length} records are`;
  const fixes = [
    ...(records.some(({ target }) => api.resource(target)) ? ['--with-references copies them'] : []),
    ...(records.some(({ target }) => api.reference(target))
      ? [
          '--map-branch SOURCE=TARGET and similar flags replace them, --same-references uses their IDs unchanged',
        ]
      : []),
    '--skip-missing omits these relations',
  ];
  return usage(`${count} referenced but missing in the target. Nothing was sent.`, {
    fields,
    hint: `${fixes.join('; ')}.`,
  });
}

function describeMissingRecord({ target, id, name, count, example }: MissingRecord, api: Api): string {
  // Files of an export contain only the name.
  const label = cleanLine(name === null || name === id ? id : `${name} (${id})`);
  const usageText = count === 1 ? `${example} refers to it` : `${count} refer to it, such as ${example}`;
  const noun = api.reference(target)?.one;
  const pair = /\s/.test(id) ? `"${id}=…"` : `${id}=…`;
  return noun === undefined
    ? `${label}: ${usageText}`
    : `${label}: ${usageText}; --${mapFlagOf(noun)} ${pair}`;
}

const skipReasons: Readonly<Record<ExclusionReason, string>> = {
  deleted: 'because they are deleted (to include them: --with-deleted)',
  took_effect: 'because they have already taken effect',
  target_took_effect: 'because the matching records of the target have already taken effect',
  not_creatable: "because the API can't create them, and the target has no match",
  not_writable: "because the API can't write them",
};

function reportTransfer(transfer: Transfer, { streams }: Context): void {
  const { ledger, report, session, resources, deniedFields } = transfer;
  const notify = (message: string) => note(streams, message);
  const nounsOf = (name: string) => session.api.nounsOf(name);
  const parts = new Map<string, string[]>();
  for (const { resource, action, state, count } of ledger.countsByResource()) {
    const label =
      state === 'bad' ? "that can't be written" : action === 'skip' ? 'unchanged' : `to ${action}`;
    parts.set(resource, [...(parts.get(resource) ?? []), `${count} ${label}`]);
  }
  for (const [resource, counts] of parts) notify(`  ${nounsOf(resource)}: ${counts.join(', ')}`);
  for (const [reason, counts] of report.excluded) {
    const countTexts = [...counts]
      .map(([name, count]) => formatCountByName(session.api, name, count))
      .join(', ');
    notify(`Skipped, ${skipReasons[reason]}: ${countTexts}.`);
  }
  const relations = [...report.omittedRelations].flatMap(([name, counts]) =>
    [...counts].map(([field, count]) => `${field} of ${nounsOf(name)} (${count})`),
  );
  if (relations.length > 0)
    notify(`Relations omitted, because their records are missing in the target: ${relations.join(', ')}.`);
  const deniedRunFields = [...deniedFields].filter(([name]) => parts.has(name));
  if (deniedRunFields.length > 0) {
    const fieldLists = deniedRunFields.map(([name, fields]) => `${nounsOf(name)}: ${[...fields].join(', ')}`);
    notify(`Fields skipped, because the token isn't allowed to write them: ${fieldLists.join('; ')}.`);
  }
  const unwrittenFieldLists = resources.flatMap((resource) => {
    const names = unwrittenFields(resource);
    return names.length > 0 && parts.has(resource.name) ? [`${resource.nouns}: ${names.join(', ')}`] : [];
  });
  const documents = resources.filter(
    (resource) => isSeparatePerAccount(transfer, resource) && parts.has(resource.name),
  );
  if (documents.length > 0) {
    const documentNouns = documents.map(({ nouns }) => nouns).join(', ');
    notify(`Matched only if identical, because they are transactions of one account: ${documentNouns}.`);
  }
  if (unwrittenFieldLists.length > 0 && !transfer.edited)
    notify(`Fields that no request can write: ${unwrittenFieldLists.join('; ')}.`);
}

/** Returns the fields that no request can write: secrets, and values that only the service sets. */
function unwrittenFields(resource: Resource): string[] {
  const bodyFields = ['create', 'update'].flatMap((verb) => operation(resource, verb)?.body ?? []);
  const linkFields = Object.values(resource.links ?? {}).map(({ field }) => field);
  return Object.entries(resource.fields).flatMap(([name, { traits }]) => {
    if (traits.secret) return [name];
    const isWritten = bodyFields.some(
      ({ responseName, field }) => responseName === name && !field.traits.ignored,
    );
    if (isWritten || linkFields.includes(name))
      return Object.entries(traits.inverseOf ? {} : (traits.pivot ?? {})).flatMap(([pivotName, field]) =>
        field.traits.writable ? [] : [`${name}.${pivotName}`],
      );
    return name === 'id' || traits.kind === 'timestamp' || traits.inverseOf ? [] : [name];
  });
}
