/** `boh change rehearse NAME`: begins and ends a change set in a temporary sandbox with a copy of the account. */
import { join } from 'node:path';
import { usage } from '../../base/errors.ts';
import { openScratch } from '../../base/scratch.ts';
import type { ChangeSet } from '../../changes/change-set.ts';
import { openChangeSets } from '../../changes/change-sets.ts';
import { touchedBy } from '../../changes/touched.ts';
import type { Context } from '../../context/context.ts';
import type { Kind } from '../../contract/field.ts';
import type { Resource } from '../../contract/resource.ts';
import { readAll, withTargets } from '../../manifest/pull/pull.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { Ledger } from '../../runs/ledger/ledger.ts';
import { noteOwner } from '../../runs/ledger/owner.ts';
import { resultOf } from '../../runs/result.ts';
import { addRecords, addReferences, type ReferenceToAdd } from '../../sandbox/demo/from-contract.ts';
import { openSandbox, type Sandbox } from '../../sandbox/service.ts';
import { accountInUse, knownAccount } from '../../session/file-owner.ts';
import { recordKey, WantedRecords } from '../../session/find-by-key.ts';
import { isRow, type Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { Settings } from '../../settings/settings.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { changesOf, plannedLine, resourceIn } from '../bulk/show-plan.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/shared-flags.ts';
import { recorderFor } from '../history/recording.ts';
import { chosenChecks } from '../lint/chosen.ts';
import { findingsIn } from '../lint/findings.ts';
import { variantOf } from '../manifest/rehearse.ts';
import { prepare } from '../prepare.ts';
import { sessionOf } from '../sandbox/apply-manifests.ts';
import { carryOutAct, type Report } from './carry-out.ts';
import { setsThere, shownSet } from './open-sets.ts';
import { conflictText } from './schedule-flags.ts';

/** Builds the command. */
export function rehearseCommand(context: Context): Command {
  return prepare(new Command('rehearse'))
    .argument('<name>', 'the name of the change set')
    .description(
      'Try a change set in a temporary sandbox with a copy of the affected records: begin it at its start time, check the records with ' +
        'boh lint, end it at its end time, and compare all fields with those before. The account is only read. Exits with 6 if ' +
        'something would be refused, or would not be as before.',
    )
    .addOption(anyAccountOption('also use change sets of another account'))
    .examples('boh change rehearse ramadan')
    .action(presented(context, (name: string, flags: AnyAccountFlag) => rehearse(name, flags, context)));
}

async function rehearse(name: string, flags: AnyAccountFlag, context: Context): Promise<Result> {
  const sets = await setsThere(context, flags);
  const set = sets.named(name);
  if (set.state !== 'planned')
    throw usage(`Change set ${name} is ${set.state}: only a planned one can be rehearsed.`);
  const settings = await context.settings();
  const scratch = openScratch('rehearsal');
  const sandbox = await openSandbox({
    ...{
      api: context.api,
      file: ':memory:',
      apiPrefix: settings.apiPrefix,
      empty: true,
      signal: context.signal,
    },
    variant: await variantOf(settings, context),
  });
  try {
    const plan = join(scratch.path, 'plan.sqlite');
    sets.writePlan(set, plan);
    const ledger = new Ledger(plan);
    const account = await context.session();
    const touched = await copyTouched(ledger, account, sandbox);
    const copy = copyContext(sandbox, scratch.path, settings, context);
    const lines = [...ledger.rows('planned')].map((row) => ({
      line: plannedLine(row, { api: context.api, resource: resourceIn(ledger), isWindow: false }),
      row: { ...resultOf(row), changes: changesOf(row) },
    }));
    const played = await play({ set, plan, ledger, touched }, copy);
    const conflicts = sets.conflicts(set);
    const isAccepted =
      played.reports.every(({ outcome }) => outcome === 'done') && played.different.length === 0;
    if (!isAccepted) context.exitCode = 6;
    const text = [
      ...lines.map(({ line }) => line),
      ...played.reports.flatMap(({ act, message, left }) => [
        `${act === 'return' ? 'restore' : act}: ${message}`,
        ...left.map((each) => `  ${each}`),
      ]),
      ...played.findings.map((finding) => `lint: ${finding}`),
      ...played.different.map((each) => `not as before: ${each}`),
      ...conflicts.map((conflict) => `conflict with ${conflict.other.name}: ${conflictText(conflict)}`),
    ];
    return {
      kind: 'facts',
      facts: {
        ...shownSet(set, context.now().getTime()),
        changes: lines.map(({ row }) => row),
        reports: played.reports,
        findings: played.findings,
        not_as_before: played.different,
        conflicts: conflicts.map(({ other, how, fields }) => ({ name: other.name, how, fields })),
      },
      text: text.map((line) => `${cleanLine(line)}\n`).join(''),
      notes: [
        set.until === null || !isAccepted
          ? 'The account was only read.'
          : `After the end, all ${played.compared} fields of the affected resources were as before. The account was only read.`,
      ],
    };
  } finally {
    sandbox.close();
    scratch.remove();
  }
}

/** Copies the resources that a plan changes, and those that they refer to, with their ids. Returns the changed resources. */
async function copyTouched(ledger: Ledger, account: Session, sandbox: Sandbox): Promise<Resource[]> {
  const wanted = new WantedRecords();
  const touched = new Set<Resource>();
  for (const { resource: name, record } of touchedBy(ledger, account)) {
    const resource = account.api.resource(name);
    if (!resource) continue;
    touched.add(resource);
    if (!record.startsWith('new ')) wanted.of(resource).ids.add(record);
  }
  const rows = new Map<string, { resource: string; row: Row }>();
  for (const resource of withTargets([...touched], account)) {
    for (const row of (await readAll(resource, account, touched.has(resource))) ?? [])
      rows.set(recordKey(resource, String(row.id)), { resource: resource.name, row });
  }
  // Lists lack deleted records, which a plan may restore.
  for (const [key, row] of await wanted.read(account)) {
    const resource = [...touched].find((each) => recordKey(each, String(row.id)) === key);
    if (resource && !rows.has(key)) rows.set(key, { resource: resource.name, row });
  }
  const records = [...rows.values()];
  addReferences(
    sandbox,
    records.flatMap(({ resource, row }) => referencesOf(account.api.resource(resource), row, account)),
  );
  addRecords(sandbox, records);
  return [...touched];
}

/** Returns the records that a row refers to and that the API can't list, such as branches. */
function referencesOf(resource: Resource | undefined, row: Row, { api }: Session): ReferenceToAdd[] {
  return Object.entries(resource?.fields ?? {}).flatMap(([name, { traits }]) => {
    const { target } = traits;
    if (target === undefined || api.resource(target)) return [];
    const others = (Array.isArray(row[name]) ? row[name] : [row[name]]).filter(isRow);
    return others.map(({ id, name: called }) => ({ target, id: String(id), name: String(called ?? id) }));
  });
}

interface Copy {
  context: Context;
  /** Sets the clock of the program and of the sandbox, in milliseconds since 1970. */
  goTo(time: number): void;
}

/** Returns what a command in the copy is given: its session, its own files, and a clock that can be set. */
function copyContext(sandbox: Sandbox, folder: string, settings: Settings, context: Context): Copy {
  const env = { BOH_CONFIG_DIR: folder };
  let time = context.now();
  let opened: Session | undefined;
  const sessionFor = async () => {
    opened ??= await sessionOf(sandbox, env, settings.apiPrefix, context, { 'wire.put': settings.wire.put }, [
      {
        before: (batch, reader) => recorder().before(batch, reader),
        after: (write, outcome) => recorder().after(write, outcome),
        leftOpen: (run) => recorder().leftOpen(run),
        reconciled: (part, result) => recorder().reconciled(part, result),
        runEnded: (unsent) => recorder().runEnded(unsent),
      },
    ]);
    return opened;
  };
  const copy: Context = Object.create(context, {
    env: { value: env },
    globals: { value: { yes: true, sandbox: true, quiet: true } },
    kept: { value: { count: 0, finish: [], irreversible: new Set() }, writable: true },
    streams: { value: Object.create(context.streams, { quiet: { value: true } }) },
    now: { value: () => time },
    session: { value: sessionFor },
    sessionFor: { value: sessionFor },
    settings: { value: async () => (await sessionFor()).settings },
  });
  let recording: ReturnType<typeof recorderFor> | undefined;
  const recorder = () => {
    if (!opened) throw new Error('no session');
    recording ??= recorderFor(opened.settings, copy);
    return recording;
  };
  const goTo = (at: number) => {
    time = new Date(at);
    sandbox.clock.set(at);
  };
  return { context: copy, goTo };
}

interface Played {
  reports: Report[];
  findings: string[];
  /** The fields that aren't as before. */
  different: string[];
  compared: number;
}

/** Begins and ends the set in the copy, as `change run` does. */
async function play(
  { set, plan, ledger, touched }: { set: ChangeSet; plan: string; ledger: Ledger; touched: Resource[] },
  { context, goTo }: Copy,
): Promise<Played> {
  goTo(set.at);
  const session = await context.session();
  noteOwner(ledger, await accountInUse(session));
  ledger.close();
  const sets = openChangeSets(context.env, knownAccount(session.settings), { isCreated: true });
  if (!sets) throw new Error('no change sets');
  try {
    const { name, at, until, zone, grace, onChanged, note, summary, createdAt, run } = set;
    const schedule = { name, at, until, zone, grace, onChanged, note, summary, createdAt, run };
    const added = sets.add({ ...schedule, touched: [], planFile: plan }, () => undefined);
    const before = await fieldsIn(touched, session);
    const earlier = await lintIn(touched, context);
    const reports = [await carryOutAct({ set: added, kind: 'begin', at }, { sets, context })];
    const findings = (await lintIn(touched, context)).filter((finding) => !earlier.includes(finding));
    const [begun] = sets.all();
    if (until === null || begun?.state !== 'active') return { reports, findings, different: [], compared: 0 };
    goTo(until);
    reports.push(await carryOutAct({ set: begun, kind: 'return', at: until }, { sets, context }));
    const after = await fieldsIn(touched, session);
    const keys = [...new Set([...before.keys(), ...after.keys()])];
    const different = keys.filter((key) => before.get(key) !== after.get(key));
    return { reports, findings, different, compared: before.size };
  } finally {
    sets.close();
    for (const finish of context.kept.finish) finish();
  }
}

/** Returns the values of all fields of the records, by record and field. The time of the last update doesn't count. */
async function fieldsIn(resources: readonly Resource[], session: Session): Promise<Map<string, string>> {
  const fields = new Map<string, string>();
  for (const resource of resources) {
    for (const row of (await readAll(resource, session, true)) ?? [])
      for (const [name, value] of Object.entries(row))
        if (name !== 'updated_at')
          fields.set(`${resource.command} ${row.id} ${name}`, comparable(value, resource.fields[name]?.kind));
  }
  return fields;
}

/** Returns a value as text. Of a related record only its link counts, and links have no order. */
function comparable(value: unknown, kind: Kind | undefined): string {
  if (kind === 'many' && Array.isArray(value))
    return value
      .map((link) => comparable(link, 'one'))
      .sort()
      .join();
  if (kind === 'one' && isRow(value)) return JSON.stringify([value.id, value.pivot]);
  return JSON.stringify(value, (name, inner) => (name === 'updated_at' ? undefined : inner));
}

/** Returns what the rules of `boh lint` find in the records. */
async function lintIn(resources: readonly Resource[], context: Context): Promise<string[]> {
  const flags = { rule: [], excludeRule: [], rules: [] };
  const chosen = await chosenChecks(
    resources.map(({ command }) => command),
    flags,
    context,
  );
  const { findings } = await findingsIn(chosen, flags, context);
  return findings.map(({ rule, resource, id, message }) => `${rule}: ${resource.command} ${id}: ${message}`);
}
